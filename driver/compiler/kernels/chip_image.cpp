// SPDX-License-Identifier: Apache-2.0
#include "activations.hpp"
#include "fields.hpp"

namespace systole::compiler {
TileShape ChipImage::shape(int tile) const {
  const ImageTiles::Tile t = tiles_.at(tile);
  return {t.lines, t.width};
}

isa::Conv ChipImage::conv(int tile, Range lines, int row) const {
  const ConvGeometry& g = geometry_;
  const ImageTiles::Tile t = tiles_.at(tile);
  isa::Conv conv = sliding_conv(g);
  conv.act_row = u16(row);
  conv.row_stride = u16(g.width);
  conv.plane_stride = u16(g.chip->plane);
  conv.in_height = u16(g.height);
  conv.in_width = u16(g.width);
  conv.y0 = static_cast<std::int16_t>((t.y + lines.begin) * g.stride_h - g.pad_top);
  conv.x0 = static_cast<std::int16_t>(t.x * g.stride_w - g.pad_left);
  conv.out_height = u16(lines.size());
  conv.out_width = u16(t.width);
  return conv;
}

}  // namespace systole::compiler
