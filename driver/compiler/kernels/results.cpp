// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include "fields.hpp"

namespace systole::compiler {
void store_results(Builder& builder, const Output& output, const Staged& s) {
  const bool contiguous = s.place.line_step == s.shape.width;
  const int lines = contiguous ? 1 : s.lines.size();
  const int width = contiguous ? s.lines.size() * s.shape.width : s.shape.width;
  isa::Store op;
  op.dst = static_cast<std::uint32_t>(
      output.address + (s.place.first + s.lines.begin * s.place.line_step) * output.pitch + s.first_byte);
  op.src = u16(s.row);
  op.piece_bytes = u16(s.bytes);
  op.src_block = u16(s.plane);
  if (s.bytes == output.pitch) {
    op.pieces = u16(width);  // contiguous in memory too: one run per line
    op.src_piece = 1;
    op.count0 = u16(lines);
    op.dst_stride0 = static_cast<std::int32_t>(s.place.line_step * output.pitch);
    op.src_stride0 = u16(s.shape.width);
  } else {
    op.count0 = u16(width);
    op.count1 = u16(lines);
    op.dst_stride0 = static_cast<std::int32_t>(output.pitch);
    op.dst_stride1 = static_cast<std::int32_t>(s.place.line_step * output.pitch);
    op.src_stride0 = 1;
    op.src_stride1 = u16(s.shape.width);
  }
  builder.append(op);
}

void store_blocks(Builder& builder, const BlockView& to, const StagedBlocks& s) {
  const BlockLanes lanes(builder.dim());
  isa::Store mantissas;
  mantissas.dst = to.position(s.first) + static_cast<std::uint32_t>(s.groups.begin * lanes.group);
  mantissas.src = u16(s.row);
  mantissas.piece_bytes = u16(s.groups.size() * lanes.group);
  mantissas.src_block = u16(s.plane);
  mantissas.count0 = u16(s.count);
  mantissas.dst_stride0 = to.pitch();
  mantissas.src_stride0 = 1;
  builder.append(mantissas);
  isa::Store exponents;
  exponents.dst = to.exponents(lanes, s.groups.begin, s.first);
  exponents.src = u16(exponent_place(builder.configuration(), s.row, lanes.halves).row);
  exponents.piece_bytes = u16(s.count * lanes.halves);
  exponents.src_block = 1;
  exponents.count0 = u16(s.groups.size());
  exponents.dst_stride0 = static_cast<std::int32_t>(to.positions * lanes.halves);
  exponents.src_stride0 = u16(lanes.planes * s.plane * lanes.halves / builder.dim());
  builder.append(exponents);
}

}  // namespace systole::compiler
