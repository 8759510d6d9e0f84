// SPDX-License-Identifier: Apache-2.0
#include "activations.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "fields.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

/// CONV over `positions` consecutive scratchpad rows per block: a matrix product.
isa::Conv row_product(int row, int positions, int plane) {
  isa::Conv conv;
  conv.act_row = u16(row);
  conv.plane_stride = u16(plane);
  conv.in_width = u16(positions);
  conv.out_width = u16(positions);
  return conv;
}

}  // namespace

void check_all_blocks(Range blocks, int all) {
  if (blocks.begin != 0 || blocks.end < all) {
    throw InternalError(fmt::format("compiler: blocks {} to {} of {} are to be loaded alone, which they cannot",
                                    blocks.begin, blocks.end, all));
  }
}

MatrixRows::MatrixRows(std::uint32_t address, int rows, int depth, std::int64_t pitch, int tile_rows, int dim,
                       PlaneForm form)
    : address_(address), rows_(rows), depth_(depth), pitch_(pitch), tile_rows_(tile_rows), dim_(dim), form_(form) {}

TileShape MatrixRows::shape(int tile) const { return {std::min(tile_rows_, rows_ - tile * tile_rows_), 1}; }

void MatrixRows::load(Builder& builder, int tile, Range blocks, Range lines, int row) const {
  const int plane = plane_rows(tile);
  const int from = blocks.begin * dim_;
  const int bytes = std::min(depth_, blocks.end * dim_) - from;
  isa::Load load;
  load.src = static_cast<std::uint32_t>(address_ + (std::int64_t{tile} * tile_rows_ + lines.begin) * pitch_ + from);
  load.piece_step = u16(bytes);
  load.piece_bytes = u16(bytes);
  load.slot_bytes = u16(blocks.size() * dim_);
  load.dst = u16(row + lines.begin);
  load.dst_block = u16(plane);
  if (bytes == pitch_) {
    load.run_bytes = static_cast<std::uint32_t>(bytes) * static_cast<std::uint32_t>(lines.size());
    load.pieces = u16(lines.size());
    load.dst_piece = 1;
    load.valid_to = 1;
  } else {
    load.run_bytes = static_cast<std::uint32_t>(bytes);
    load.count0 = u16(lines.size());
    load.valid_to = load.count0;
    load.src_stride0 = static_cast<std::int32_t>(pitch_);
    load.dst_stride0 = 1;
  }
  builder.append(load);
}

isa::Conv MatrixRows::conv(int tile, Range lines, int row) const {
  return row_product(row + lines.begin, lines.size(), plane_rows(tile));
}

isa::Conv ChipRows::conv(int tile, Range lines, int row) const {
  isa::Conv conv = row_product(row + tile * tile_rows_ + lines.begin, lines.size(), at_.plane);
  conv.block_float = 1;
  return conv;
}

isa::Conv sliding_conv(const ConvGeometry& g) {
  isa::Conv conv;
  conv.kernel_h = static_cast<std::uint8_t>(g.kernel_h);
  conv.kernel_w = static_cast<std::uint8_t>(g.kernel_w);
  conv.stride_h = static_cast<std::uint8_t>(g.stride_h);
  conv.stride_w = static_cast<std::uint8_t>(g.stride_w);
  conv.dilation_h = static_cast<std::uint8_t>(g.dilation_h);
  conv.dilation_w = static_cast<std::uint8_t>(g.dilation_w);
  conv.pad_value = g.zero_point;
  return conv;
}

ImageTiles::ImageTiles(const ConvGeometry& geometry, const Cut& cut)
    : geometry_(geometry),
      cut_(cut),
      down_(ceil_div(geometry.out_height, cut.lines)),
      across_(ceil_div(geometry.out_width, cut.width)) {}

ImageTiles::Tile ImageTiles::at(int tile) const {
  Tile t{};
  t.x = tile % across_ * cut_.width;
  t.y = tile / across_ % down_ * cut_.lines;
  t.batch = tile / across_ / down_;
  t.lines = std::min(cut_.lines, geometry_.out_height - t.y);
  t.width = std::min(cut_.width, geometry_.out_width - t.x);
  return t;
}

TilePlace ImageTiles::place(int tile) const {
  const Tile t = at(tile);
  return {(std::int64_t{t.batch} * geometry_.out_height + t.y) * geometry_.out_width + t.x, geometry_.out_width};
}

PackedWindows::PackedWindows(const ConvGeometry& geometry, const Cut& cut, int dim)
    : geometry_(geometry), tiles_(geometry, cut), dim_(dim) {}

bool PackedWindows::possible(const ConvGeometry& g, int dim) {
  const std::int64_t piece = std::int64_t{g.kernel_w} * g.channels;
  const std::int64_t step = g.stride_w * g.pixel_pitch;
  const bool one_column = g.kernel_w == 1;
  return (one_column || (g.dilation_w == 1 && g.pixel_pitch == g.channels)) && step < 65536 && piece < 65536 - dim &&
         (step >= piece || piece <= std::int64_t{isa::kWindowPieceBeats} * dim) &&
         std::int64_t{g.pad_left} * g.pixel_pitch < 32768 &&
         (std::int64_t{g.out_width - 1} * g.stride_w - g.pad_left - g.width) * g.pixel_pitch <
             32767;  // first byte of a piece
}

TileShape PackedWindows::shape(int tile) const {
  const ImageTiles::Tile t = tiles_.at(tile);
  return {t.lines, t.width};
}

void PackedWindows::load(Builder& builder, int tile, Range blocks, Range lines, int row) const {
  const ConvGeometry& g = geometry_;
  const ImageTiles::Tile t = tiles_.at(tile);
  const int plane = plane_rows(tile);
  const int piece = g.kernel_w * g.channels;
  check_all_blocks(blocks, ceil_div(g.kernel_h * piece, dim_));
  const std::int64_t row_pitch = g.width * g.pixel_pitch;
  const int first_x = t.x * g.stride_w - g.pad_left;
  const int run_x = std::clamp(first_x, 0, g.width - 1);
  const int last_x = std::clamp(first_x + (t.width - 1) * g.stride_w + g.kernel_w, run_x + 1, g.width);
  for (int ky = 0; ky < g.kernel_h; ++ky) {
    const int first_y = (t.y + lines.begin) * g.stride_h - g.pad_top + ky * g.dilation_h;
    const int offset = ky * piece;
    const bool last = ky == g.kernel_h - 1;
    isa::Load load;
    load.src = static_cast<std::uint32_t>(g.address + (std::int64_t{t.batch} * g.height + first_y) * row_pitch +
                                          run_x * g.pixel_pitch);
    load.run_bytes = static_cast<std::uint32_t>((last_x - run_x - 1) * g.pixel_pitch + g.channels);
    load.piece_start = static_cast<std::int16_t>((first_x - run_x) * g.pixel_pitch);
    load.pieces = u16(t.width);
    load.piece_step = u16(g.stride_w * g.pixel_pitch);
    load.piece_bytes = u16(piece);
    load.slot_bytes = u16(last ? blocks.end * dim_ - offset : piece);
    load.lane = static_cast<std::uint8_t>(offset % dim_);
    load.fill = g.zero_point;
    load.count0 = u16(lines.size());
    // Output rows whose input row lies inside the image.
    const int from = first_y >= 0 ? 0 : ceil_div(-first_y, g.stride_h);
    const int to = first_y >= g.height ? 0 : ceil_div(g.height - first_y, g.stride_h);
    load.valid_from = u16(std::min(from, lines.size()));
    load.valid_to = u16(std::max<int>(load.valid_from, std::min(to, lines.size())));
    load.src_stride0 = static_cast<std::int32_t>(g.stride_h * row_pitch);
    load.dst = u16(row + offset / dim_ * plane + lines.begin * t.width);
    load.dst_piece = 1;
    load.dst_block = u16(plane);
    load.dst_stride0 = u16(t.width);
    builder.append(load);
  }
}

isa::Conv PackedWindows::conv(int tile, Range lines, int row) const {
  const ImageTiles::Tile t = tiles_.at(tile);
  return row_product(row + lines.begin * t.width, lines.size() * t.width, plane_rows(tile));
}

}  // namespace systole::compiler
