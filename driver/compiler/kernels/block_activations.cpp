// SPDX-License-Identifier: Apache-2.0
#include "block_activations.hpp"

#include "fields.hpp"

namespace systole::compiler {
void load_exponents(Builder& builder, const BlockView& source, const Stretch& stretch, Range blocks, int row,
                    int plane) {
  const Configuration& c = builder.configuration();
  const BlockLanes lanes(c.dim);
  const int first = blocks.begin / lanes.planes;
  const bool together = stretch.columns == stretch.pitch;
  const int lines = together ? 1 : stretch.rows;
  const int columns = together ? stretch.columns * stretch.rows : stretch.columns;
  for (int part = 0; part < lanes.planes; ++part) {
    for (int line = 0; line < lines; ++line) {
      const ExponentPlace to = exponent_place(c, row + part * plane + line * stretch.columns, lanes.halves);
      isa::Load load;
      load.src = source.exponents(lanes, first, stretch.position + line * stretch.pitch);
      load.run_bytes = static_cast<std::uint32_t>(columns * lanes.halves);
      load.piece_step = load.piece_bytes = load.slot_bytes = u16(columns * lanes.halves);
      load.lane = static_cast<std::uint8_t>(to.lane);
      load.dst = u16(to.row);
      load.dst_block = 1;
      load.count0 = u16(ceil_div(blocks.size(), lanes.planes));
      load.valid_to = load.count0;
      load.src_stride0 = static_cast<std::int32_t>(source.positions * lanes.halves);
      load.dst_stride0 = u16(lanes.planes * plane * lanes.halves / c.dim);
      builder.append(load);
    }
  }
}

}  // namespace systole::compiler
