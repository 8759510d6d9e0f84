// SPDX-License-Identifier: Apache-2.0
// Right operands of block floating point that lie as they are multiplied, the reduction along rows: a kernel makes
// blocks of their columns, which are weight tiles already. Nothing has to be transposed.
#pragma once

#include <cstdint>
#include <vector>

#include "block_weights.hpp"
#include "kernels.hpp"
#include "rings.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// Tiles of columns in device memory. A unit is a block of one tap and DIM columns. A kernel takes several: taps of one
/// block, or, of a matrix, blocks, or columns if there are few blocks.
class ColumnTiles {
 public:
  /// What is converted passes through some rows of the scratchpad. `taps` are those that are written together, at most.
  /// Throws DoesNotFit when not even the tiles of one block and DIM columns fit the rows.
  ColumnTiles(Builder& builder, const FloatColumns& from, Range rows, int taps);

  TiledBlockWeights tiles() const;
  /// Appends what writes the tiles of some taps.
  void write(Range taps);

 private:
  void choose_tiling(int taps);
  bool choose_units(int most, int enough);
  int column_bytes() const { return from_.taps() * blocks_ * unit_rows_ * dim_; }
  int words(int columns) const;
  void write(Range columns, Range blocks, Range taps);
  void load(Range columns, Range blocks, Range taps, int row);
  void store(Range columns, Range blocks, Range taps, int row);

  Builder& builder_;
  const FloatColumns from_;
  const kernel::Kernel& kernel_;
  const Range rows_;
  const int dim_, channels_, unit_rows_, columns_;
  const bool by_tap_;
  bool by_column_ = false;
  int blocks_ = 1, units_ = 1, together_ = 1;
  std::uint16_t entry_ = 0;
  std::vector<std::uint32_t> addresses_;
  RowRing words_, staging_;
};

/// The tiles of all columns. Throws DoesNotFit when not even those of one block and DIM columns fit the workspace.
TiledBlockWeights column_tiles(Builder& builder, const FloatColumns& columns);

}  // namespace systole::compiler
