// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "model_operations.hpp"

namespace systole::model {

void run(State& state, const isa::Load& op) {
  const int DIM = state.dim();
  const auto space = static_cast<isa::Space>(op.space);
  std::vector<std::int8_t> turned(op.turn == 0 ? 0 : static_cast<std::size_t>(DIM) * static_cast<std::size_t>(DIM));
  const auto run_offset = [&](Count i1, Count i0) {
    return static_cast<std::uint32_t>(op.src + i1 * op.src_stride1 + i0 * op.src_stride0);
  };
  // operation: LOAD
  // The first run that is wrong ends the command: its window comes first, then the bus, then its rows.
  for (Count i1 = 0; i1 < op.count1; ++i1) {
    for (Count i0 = 0; i0 < op.count0; ++i0) {
      // run_offset = src + i1*src_stride1 + i0*src_stride0, in 32 bits
      const bool inside = op.valid_from <= i0 && i0 < op.valid_to;
      if (inside) state.check_window(op.window, isa::kPermissionRead, run_offset(i1, i0), op.run_bytes);
      const std::int8_t* run = inside ? state.read_memory(op.window, run_offset(i1, i0), op.run_bytes) : nullptr;
      for (Count p = 0; p < op.pieces; ++p) {
        for (Count b = 0; b < op.slot_bytes; ++b) {
          const Count from = op.piece_start + p * op.piece_step + b;
          const bool present = inside && b < op.piece_bytes && 0 <= from && from < op.run_bytes;
          const Count lane = op.lane + b;
          const std::uint16_t row = row16(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0 + p * op.dst_piece +
                                          (lane / DIM) * op.dst_block);
          std::int8_t& to = state.row(space, row)[lane % DIM];
          (op.turn == 0 ? to : turned.at(i0 * DIM + b)) = present ? run[from] : op.fill;
        }
      }
    }
    // What is turned was kept, row by row of the inner loop, and is written column by column.
    const Count element = op.turn == static_cast<Count>(isa::Turn::kWords) ? 4 : 1;
    for (Count i0 = 0; op.turn != 0 && i0 < op.count0; ++i0) {
      for (Count b = 0; b < DIM; ++b) {
        state.row(space, row16(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0))[b] =
            turned.at(b / element * DIM + i0 * element + b % element);
      }
    }
  }
  // end operation
}

}  // namespace systole::model
