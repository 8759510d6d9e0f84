// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "model_operations.hpp"
#include "systole/conv_tiles.hpp"

namespace systole::model {

void run(State& state, const isa::Conv& op) {
  if (op.block_float != 0) {
    return run_blocks(state, op);
  }
  const int DIM = state.dim();
  const std::vector<std::int8_t> padding(static_cast<std::size_t>(DIM), op.pad_value);
  // operation: CONV
  const Count tiles = Count{op.blocks} * op.kernel_h * op.kernel_w;
  if (tiles * DIM > state.configuration().weight_rows) {
    throw Fault{isa::ErrorCode::kWeightRange, static_cast<std::uint32_t>(tiles * DIM)};
  }
  Count tile = 0, weight_row = op.weight_row;
  bool adds = op.accumulate != 0;
  for (Count kb = 0; kb < op.blocks; ++kb) {
    for (Count ky = 0; ky < op.kernel_h; ++ky) {
      for (Count kx = 0; kx < op.kernel_w; ++kx, ++tile) {
        if (skips(op, tile, tiles)) {
          continue;
        }
        for (Count oy = 0; oy < op.out_height; ++oy) {
          for (Count ox = 0; ox < op.out_width; ++ox) {
            const Count y = op.y0 + oy * op.stride_h + ky * op.dilation_h;
            const Count x = op.x0 + ox * op.stride_w + kx * op.dilation_w;
            const bool inside = 0 <= y && y < op.in_height && 0 <= x && x < op.in_width;
            std::int32_t* sum = state.accumulator(op.acc_row + oy * op.out_width + ox);
            const std::uint16_t row = row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x);
            const std::int8_t* activation = inside ? state.scratch(row) : padding.data();
            for (Count n = 0; n < DIM; ++n) {
              // Accumulators wrap around, hence unsigned.
              std::uint32_t value = adds ? static_cast<std::uint32_t>(sum[n]) : 0;
              for (Count k = 0; k < DIM; ++k) {
                const std::int8_t weight = state.weight(weight_row + k)[n];
                value += static_cast<std::uint32_t>(activation[k] * weight);
              }
              sum[n] = static_cast<std::int32_t>(value);
            }
          }
        }
        adds = true;
        weight_row += DIM;
      }
    }
  }
  // end operation
}

}  // namespace systole::model
