// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "model_operations.hpp"

namespace systole::model {

void run(State& state, const isa::Store& op) {
  const int DIM = state.dim();
  const auto run_offset = [&](Count i1, Count i0) {
    return static_cast<std::uint32_t>(op.dst + i1 * op.dst_stride1 + i0 * op.dst_stride0);
  };
  // operation: STORE
  const std::uint64_t run_bytes = std::uint64_t{op.pieces} * op.piece_bytes;
  // The first run that is wrong ends the command; its window comes before its rows.
  std::vector<std::int8_t> run(run_bytes);
  for (Count i1 = 0; i1 < op.count1; ++i1) {
    for (Count i0 = 0; i0 < op.count0; ++i0) {
      // run_offset = dst + i1*dst_stride1 + i0*dst_stride0, in 32 bits
      state.check_window(op.window, isa::kPermissionWrite, run_offset(i1, i0), run_bytes);
      for (Count p = 0; p < op.pieces; ++p) {
        for (Count b = 0; b < op.piece_bytes; ++b) {
          const std::uint16_t row =
              row16(op.src + i1 * op.src_stride1 + i0 * op.src_stride0 + p * op.src_piece + (b / DIM) * op.src_block);
          run[static_cast<std::size_t>(p) * op.piece_bytes + static_cast<std::size_t>(b)] = state.scratch(row)[b % DIM];
        }
      }
      state.write_memory(op.window, run_offset(i1, i0), run.data(), run_bytes);
    }
  }
  // end operation
}

}  // namespace systole::model
