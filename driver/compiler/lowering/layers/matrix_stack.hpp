// SPDX-License-Identifier: Apache-2.0
// The matrices of a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systole/graph.hpp"

namespace systole::network {

/// Matrices within a tensor without gaps, one for each matrix of a product's result; broadcast ones occur several
/// times.
struct MatrixStack {
  int rows = 1, columns = 1;        ///< as they are stored
  std::int64_t pitch = 1;           ///< elements from one row to the next
  std::vector<std::int64_t> first;  ///< the first element of each
};

/// The operand's matrix for each matrix of the result, in row-major order of its leading dimensions.
MatrixStack matrices_of(const graph::Shape& operand, const graph::Shape& result);

/// Whether a tensor with this many channels may be in the scratchpad: the rows of its matrices are positions, and their
/// columns whole blocks of channels.
bool has_rows_of_positions(const MatrixStack& matrices, int channels, int dim);

}  // namespace systole::network
