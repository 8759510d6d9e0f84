// SPDX-License-Identifier: Apache-2.0
// The layouts of activations in the scratchpad and how they are loaded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "sources.hpp"

namespace systole::compiler {

/// For activations that are packed: throws InternalError unless `blocks` are all. Those that are loaded write all
/// blocks, so that a part of them would take the rows of others.
void check_all_blocks(Range blocks, int all);

/// Rows of a row-major matrix, one position per row. Also serves 1x1 convolutions of stride 1, whose pixels are rows.
class MatrixRows final : public Activations {
 public:
  /// `rows` x `depth` bytes at `address`, rows `pitch` bytes apart; tiles of `tile_rows`.
  MatrixRows(std::uint32_t address, int rows, int depth, std::int64_t pitch, int tile_rows, int dim,
             PlaneForm form = PlaneForm::kBytes);

  int tiles() const override { return ceil_div(rows_, tile_rows_); }
  TileShape shape(int tile) const override;
  TilePlace place(int tile) const override { return {std::int64_t{tile} * tile_rows_, 1}; }
  int plane_rows(int tile) const override { return compiler::plane_rows(form_, shape(tile).lines); }
  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override;
  isa::Conv conv(int tile, Range lines, int row) const override;
  /// What load() loads.
  Stretch stretch(int tile, Range lines) const {
    return {std::int64_t{tile} * tile_rows_ + lines.begin, lines.size(), lines.size(), 1, lines.begin};
  }

 private:
  std::uint32_t address_;
  int rows_, depth_;
  std::int64_t pitch_;
  int tile_rows_, dim_;
  PlaneForm form_;
};

/// Rows in block floating point that an earlier operator left in the scratchpad.
class ChipRows final : public Activations {
 public:
  ChipRows(const ChipPlanes& at, int rows, int tile_rows) : at_(at), rows_(rows), tile_rows_(tile_rows) {}

  int tiles() const override { return ceil_div(rows_, tile_rows_); }
  TileShape shape(int tile) const override { return {std::min(tile_rows_, rows_ - tile * tile_rows_), 1}; }
  TilePlace place(int tile) const override { return {std::int64_t{tile} * tile_rows_, 1}; }
  int plane_rows(int) const override { return at_.plane; }
  std::optional<int> resident() const override { return at_.row; }
  void load(Builder&, int, Range, Range, int) const override {}
  isa::Conv conv(int tile, Range lines, int row) const override;

 private:
  ChipPlanes at_;
  int rows_, tile_rows_;
};

/// Lines of several rows, so that whole lines are computed together. Tiles of the rows are multiples of a line.
class RowLines final : public Activations {
 public:
  /// `each` rows are a line.
  RowLines(std::unique_ptr<Activations> rows, int each) : rows_(std::move(rows)), each_(each) {}

  int tiles() const override { return rows_->tiles(); }
  TileShape shape(int tile) const override { return {rows_->shape(tile).lines / each_, each_}; }
  TilePlace place(int tile) const override { return {rows_->place(tile).first, each_}; }
  int plane_rows(int tile) const override { return rows_->plane_rows(tile); }
  std::optional<int> resident() const override { return rows_->resident(); }
  bool packed() const override { return rows_->packed(); }
  bool wants_prefetch() const override { return rows_->wants_prefetch(); }
  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override {
    rows_->load(builder, tile, blocks, rows_of(lines), row);
  }
  isa::Conv conv(int tile, Range lines, int row) const override { return rows_->conv(tile, rows_of(lines), row); }

 private:
  Range rows_of(Range lines) const { return {lines.begin * each_, lines.end * each_}; }

  std::unique_ptr<Activations> rows_;
  int each_;
};

/// Geometry of a convolution for the kernels. `pixel_pitch` is the distance of pixels in bytes.
struct ConvGeometry {
  std::uint32_t address = 0;
  int batch = 1, height = 1, width = 1, channels = 1;
  std::int64_t pixel_pitch = 1;
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_left = 0;
  int out_height = 1, out_width = 1;
  std::int8_t zero_point = 0;                     ///< value of the padding
  PlaneForm form = PlaneForm::kBytes;             ///< of planes in the scratchpad
  std::optional<ChipPlanes> chip = std::nullopt;  ///< set if the input is in the scratchpad
};

/// CONV with kernel, strides, dilations and padding value filled in.
isa::Conv sliding_conv(const ConvGeometry& geometry);

/// Tiling of an output image: `lines` rows of `width` columns per tile.
struct Cut {
  int lines = 1;
  int width = 1;
};

/// Tiles of an output image, each a range of batch, rows and columns.
class ImageTiles {
 public:
  ImageTiles(const ConvGeometry& geometry, const Cut& cut);
  struct Tile {
    int batch, y, x, lines, width;
  };
  int count() const { return geometry_.batch * down_ * across_; }
  Tile at(int tile) const;
  TilePlace place(int tile) const;

 private:
  ConvGeometry geometry_;
  Cut cut_;
  int down_, across_;
};

/// Image planes in their own layout; the matrix unit slides the kernel over them (implicit im2col) and supplies the
/// padding.
class ImagePlanes final : public Activations {
 public:
  ImagePlanes(const ConvGeometry& geometry, const Cut& cut, int dim);

  int tiles() const override { return tiles_.count(); }
  TileShape shape(int tile) const override;
  TilePlace place(int tile) const override { return tiles_.place(tile); }
  int plane_rows(int tile) const override;
  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override;
  isa::Conv conv(int tile, Range lines, int row) const override;
  /// What load() loads; no rows if there is nothing to load.
  Stretch stretch(int tile, Range lines) const;

 private:
  /// Input rows and columns that a tile holds: never empty, so that even a tile that is all padding has an input.
  struct Patch {
    Range y, x;
  };
  Patch patch(const ImageTiles::Tile& tile) const;
  int rows_for(const ImageTiles::Tile& tile, int lines, const Patch& patch) const;

  ConvGeometry geometry_;
  ImageTiles tiles_;
  int dim_;
};

/// An image that an earlier operator left in the scratchpad.
class ChipImage final : public Activations {
 public:
  /// geometry.chip is set.
  ChipImage(const ConvGeometry& geometry, const Cut& cut) : geometry_(geometry), tiles_(geometry, cut) {}

  int tiles() const override { return tiles_.count(); }
  TileShape shape(int tile) const override;
  TilePlace place(int tile) const override { return tiles_.place(tile); }
  int plane_rows(int) const override { return geometry_.height * geometry_.width; }
  std::optional<int> resident() const override { return geometry_.chip->row; }
  void load(Builder&, int, Range, Range, int) const override {}
  isa::Conv conv(int tile, Range lines, int row) const override;

 private:
  ConvGeometry geometry_;
  ImageTiles tiles_;
};

/// Explicit im2col by LOAD: whole windows gathered into dense rows of kernel_h * kernel_w * channels bytes, kernel row
/// by kernel row; the convolution becomes a matrix product. Pays off when channels are few; also serves 1x1 kernels
/// with strides. Requires dilation_w == 1, dense pixels (unless kernel_w == 1), and pieces that fit the line buffer.
class PackedWindows final : public Activations {
 public:
  PackedWindows(const ConvGeometry& geometry, const Cut& cut, int dim);
  static bool possible(const ConvGeometry& geometry, int dim);

  int tiles() const override { return tiles_.count(); }
  TileShape shape(int tile) const override;
  TilePlace place(int tile) const override { return tiles_.place(tile); }
  int plane_rows(int tile) const override { return compiler::plane_rows(geometry_.form, shape(tile).positions()); }
  bool packed() const override { return true; }
  void load(Builder& builder, int tile, Range blocks, Range lines, int row) const override;
  isa::Conv conv(int tile, Range lines, int row) const override;

 private:
  ConvGeometry geometry_;
  ImageTiles tiles_;
  int dim_;
};

}  // namespace systole::compiler
