// SPDX-License-Identifier: Apache-2.0
// Constant weights for the weight ring.
#pragma once

#include <cstdint>
#include <vector>

#include "sources.hpp"

namespace systole::compiler {

/// The weights of DIM output channels, tiled: blocks of input channels, each [kernel row][kernel column][DIM][DIM].
struct WeightColumn {
  Range blocks;
  std::vector<std::uint8_t> bytes;  ///< of the tiles that are stored
  std::vector<bool> stored;         ///< of each tile
  std::vector<bool> zero;           ///< kernel rows of blocks
  std::int64_t left_out = 0;        ///< weights in tiles that are not stored, or beside the blocks
};

/// A column of convolution weights OHWI, `weights` of shape out x kernel_h x kernel_w x in_per_group; input channel i
/// of group g is channel g * in_per_group + i. Tiles cover the input blocks that the column's groups read, less those
/// at the ends whose weights are zeros if these are most of them; the rest is zero. Tiles of zeros are left out where
/// CONVs can skip them, but one.
WeightColumn weight_column(const ConvWeights& weights, int out_channels, int kernel_h, int kernel_w, int in_per_group,
                           int groups, int dim, int number);

/// Constant weights, tiled at compile time.
class TiledWeights final : public Weights {
 public:
  int kernel_h() const override { return kernel_h_; }
  int kernel_w() const override { return kernel_w_; }
  int parts() const override { return parts_; }
  bool is_zero(int column, int block, Range taps) const override;
  int stored(int column, Range blocks, Range taps) const override;
  /// Weights in tiles that are not stored.
  std::int64_t left_out() const { return left_out_; }
  bool begins(int column, int block, int tap_row) const override;
  bool is_stored(int column, int block, int tap_row, int tap_column) const override;
  Range blocks(int column) const override { return this->column(column).blocks; }
  void load(Builder& builder, Range columns, Range blocks, Range taps, int row, int column_rows) const override;

  /// All columns.
  static TiledWeights convolution(Builder& builder, const ConvWeights& weights, int out_channels, int kernel_h,
                                  int kernel_w, int in_per_group, int groups);
  /// Whole windows as one reduction: row ((ky * kernel_w) + kx) * channels + i (see PackedWindows). Also fully
  /// connected weights [out][in], with a 1x1 kernel.
  static TiledWeights packed(Builder& builder, const ConvWeights& weights, int out_channels, int depth);

 private:
  struct Column {
    Range blocks;
    std::uint32_t address;
    std::vector<bool> zero;   ///< kernel rows of blocks
    std::vector<int> before;  ///< for each tile, and behind the last, how many are stored before it
  };
  const Column& column(int number) const { return columns_[static_cast<std::size_t>(number)]; }
  /// Its number among the tiles of the column, and how many are stored before it.
  std::size_t tile(int column, int block, int tap_row, int tap_column) const;
  int stored_before(int column, std::size_t tile) const { return this->column(column).before[tile]; }
  int kernel_h_ = 1, kernel_w_ = 1, parts_ = 1;
  std::int64_t left_out_ = 0;
  std::vector<Column> columns_;
};

}  // namespace systole::compiler
