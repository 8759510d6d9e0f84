// SPDX-License-Identifier: Apache-2.0
// Arrays as rows of DIM bytes, as the scratchpad holds them (isa/spec/pages/kernel.md, Format).
#pragma once

#include <cstdint>

#include "kernel_call.hpp"

namespace systole::cli {

/// The planes of an array: DIM channels are as many planes as an element has bytes. The rows of a plane follow each
/// other, and so do the planes.
struct Planes {
  Planes(const KernelOperand& operand, int dim);

  std::int64_t rows;    ///< of a plane
  std::int64_t blocks;  ///< of DIM channels
  std::int64_t planes;  ///< of all blocks
  std::int64_t all_rows() const { return rows * planes; }

  /// The array as the rows of all planes; channels behind the last are 0.
  graph::Bytes split(const graph::Bytes& array) const;
  /// The array from these rows.
  graph::Bytes join(const graph::Bytes& split) const;

 private:
  template <class Move>
  void each(const Move& move) const;

  std::size_t dim_, row_bytes_;
};

}  // namespace systole::cli
