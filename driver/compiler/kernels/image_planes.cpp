// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "activations.hpp"
#include "fields.hpp"

namespace systole::compiler {
ImagePlanes::ImagePlanes(const ConvGeometry& geometry, const Cut& cut, int dim)
    : geometry_(geometry), tiles_(geometry, cut), dim_(dim) {}

TileShape ImagePlanes::shape(int tile) const {
  const ImageTiles::Tile t = tiles_.at(tile);
  return {t.lines, t.width};
}

ImagePlanes::Patch ImagePlanes::patch(const ImageTiles::Tile& t) const {
  const ConvGeometry& g = geometry_;
  Patch p;
  p.x.begin = std::clamp(t.x * g.stride_w - g.pad_left, 0, g.width - 1);
  p.x.end = std::clamp((t.x + t.width - 1) * g.stride_w - g.pad_left + (g.kernel_w - 1) * g.dilation_w + 1,
                       p.x.begin + 1, g.width);
  p.y.begin = std::clamp(t.y * g.stride_h - g.pad_top, 0, g.height - 1);
  p.y.end = p.y.begin + rows_for(t, t.lines, p);
  return p;
}

/// Input rows, counted from the patch's first, that the first `lines` output rows read.
int ImagePlanes::rows_for(const ImageTiles::Tile& t, int lines, const Patch& p) const {
  const ConvGeometry& g = geometry_;
  if (lines == 0) {
    return 0;
  }
  const int end = (t.y + lines - 1) * g.stride_h - g.pad_top + (g.kernel_h - 1) * g.dilation_h + 1;
  return std::clamp(end, p.y.begin + 1, g.height) - p.y.begin;
}

int ImagePlanes::plane_rows(int tile) const {
  const Patch p = patch(tiles_.at(tile));
  return compiler::plane_rows(geometry_.form, p.y.size() * p.x.size());
}

Stretch ImagePlanes::stretch(int tile, Range lines) const {
  const ImageTiles::Tile t = tiles_.at(tile);
  const Patch p = patch(t);
  const int from = rows_for(t, lines.begin, p);
  return {(std::int64_t{t.batch} * geometry_.height + p.y.begin + from) * geometry_.width + p.x.begin, geometry_.width,
          p.x.size(), rows_for(t, lines.end, p) - from, from * p.x.size()};
}

void ImagePlanes::load(Builder& builder, int tile, Range blocks, Range lines, int row) const {
  const ConvGeometry& g = geometry_;
  const ImageTiles::Tile t = tiles_.at(tile);
  const Patch p = patch(t);
  const int from = rows_for(t, lines.begin, p);
  const int rows = rows_for(t, lines.end, p) - from;
  if (rows <= 0) {
    return;
  }
  const int columns = p.x.size();
  const int first_channel = blocks.begin * dim_;
  const int bytes = std::min(g.channels, blocks.end * dim_) - first_channel;
  const std::int64_t row_pitch = g.width * g.pixel_pitch;
  isa::Load load;
  load.src = static_cast<std::uint32_t>(g.address + (std::int64_t{t.batch} * g.height + p.y.begin + from) * row_pitch +
                                        p.x.begin * g.pixel_pitch + first_channel);
  load.piece_step = u16(g.pixel_pitch);
  load.piece_bytes = u16(bytes);
  load.slot_bytes = u16(blocks.size() * dim_);
  load.dst = u16(row + from * columns);
  load.dst_piece = 1;
  load.dst_block = u16(plane_rows(tile));
  load.valid_to = 1;
  const std::int64_t whole = std::int64_t{rows} * columns;
  const std::int64_t pixel_beats = 1 + (bytes + dim_ - 2) / dim_;
  if (columns == g.width && bytes == g.pixel_pitch && whole < 65536 && whole * bytes < (1 << 24)) {
    load.run_bytes = static_cast<std::uint32_t>(whole * bytes);  // one run of whole image rows
    load.pieces = u16(whole);
  } else if (((columns - 1) * g.pixel_pitch + bytes) / dim_ <= columns * pixel_beats) {
    load.run_bytes = static_cast<std::uint32_t>((columns - 1) * g.pixel_pitch + bytes);  // one run per image row
    load.pieces = u16(columns);
    load.count0 = u16(rows);
    load.valid_to = load.count0;
    load.src_stride0 = static_cast<std::int32_t>(row_pitch);
    load.dst_stride0 = u16(columns);
  } else {
    load.run_bytes = static_cast<std::uint32_t>(bytes);  // one run per pixel
    load.piece_step = load.piece_bytes;
    load.count0 = u16(columns);
    load.valid_to = load.count0;
    load.count1 = u16(rows);
    load.src_stride0 = static_cast<std::int32_t>(g.pixel_pitch);
    load.src_stride1 = static_cast<std::int32_t>(row_pitch);
    load.dst_stride0 = 1;
    load.dst_stride1 = u16(columns);
  }
  builder.append(load);
}

isa::Conv ImagePlanes::conv(int tile, Range lines, int row) const {
  const ConvGeometry& g = geometry_;
  const ImageTiles::Tile t = tiles_.at(tile);
  const Patch p = patch(t);
  isa::Conv conv = sliding_conv(g);
  conv.act_row = u16(row);
  conv.row_stride = u16(p.x.size());
  conv.plane_stride = u16(plane_rows(tile));
  conv.in_height = u16(p.y.size());
  conv.in_width = u16(p.x.size());
  conv.y0 = static_cast<std::int16_t>((t.y + lines.begin) * g.stride_h - g.pad_top - p.y.begin);
  conv.x0 = static_cast<std::int16_t>(t.x * g.stride_w - g.pad_left - p.x.begin);
  conv.out_height = u16(lines.size());
  conv.out_width = u16(t.width);
  return conv;
}

}  // namespace systole::compiler
