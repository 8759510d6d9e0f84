// SPDX-License-Identifier: Apache-2.0
// Weights in block floating point. A tile is the weights of a block, or of a part of it, and a row of exponents.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "block_view.hpp"
#include "kernels.hpp"
#include "sources.hpp"

namespace systole::compiler {

/// Both kinds: the order of the reduction is taps, then blocks of channels.
class BlockWeights : public Weights {
 public:
  BlockWeights(int dim, int channels, int taps_across)
      : dim_(dim), lanes_(dim), channels_(channels), taps_across_(taps_across) {}

  int tap_rows(int) const override { return tiles() * (tile_channels() + 1); }
  int taps_across() const override { return taps_across_; }
  int block_planes() const override { return lanes_.planes; }
  Range blocks(int) const override { return {0, ceil_div(channels_, lanes_.group) * lanes_.planes}; }

 protected:
  int tile_channels() const { return dim_ < kBlockElements ? dim_ : kBlockElements; }
  int tiles() const { return dim_ / tile_channels(); }  ///< of a plane

  int dim_;
  BlockLanes lanes_;
  int channels_, taps_across_;
};

/// Tiles in device memory, column by column in the order of the reduction.
class TiledBlockWeights : public BlockWeights {
 public:
  TiledBlockWeights(int dim, int channels, int kernel_h, int kernel_w, std::vector<std::uint32_t> columns)
      : BlockWeights(dim, channels, kernel_w), taps_(kernel_h * kernel_w), addresses_(std::move(columns)) {}
  int kernel_h() const override { return taps_; }
  void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const override;

 private:
  int taps_;
  std::vector<std::uint32_t> addresses_;  ///< of each column
};

/// Those that a layer before has written.
TiledBlockWeights tiles_of(const BlockTiles& tiles, int dim);

/// Constant ones, tiled at compile time.
TiledBlockWeights constant_tiles(Builder& builder, const BlockFilter& filter);

/// A matrix that was computed: the positions of the tensor are the columns of the product.
class ComputedBlockWeights final : public BlockWeights {
 public:
  ComputedBlockWeights(const BlockView& matrix, int columns, int dim)
      : BlockWeights(dim, matrix.channels, 1), matrix_(matrix), columns_(columns) {}
  void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const override;

 private:
  void load_turned(Builder& builder, int column, Range blocks, int row) const;
  void load_mantissas(Builder& builder, int column, int lane, Range blocks, int row) const;
  void load_exponents(Builder& builder, int column, Range blocks, int row) const;

  BlockView matrix_;
  int columns_;
};

}  // namespace systole::compiler
