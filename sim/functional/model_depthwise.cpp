// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "model_operations.hpp"

namespace systole::model {

void run(State& state, const isa::Depthwise& op) {
  const int DIM = state.dim();
  const std::vector<std::int8_t> padding(static_cast<std::size_t>(DIM), op.pad_value);
  // operation: DEPTHWISE
  const Count taps = Count{op.kernel_h} * op.kernel_w;
  if (op.blocks * taps > state.configuration().weight_rows) {
    throw Fault{isa::ErrorCode::kWeightRange, static_cast<std::uint32_t>(op.blocks * taps)};
  }
  const Count positions = Count{op.out_height} * op.out_width;
  if (op.acc_row + op.blocks * positions > state.configuration().acc_rows) {
    throw Fault{isa::ErrorCode::kAccRange,
                std::max<std::uint32_t>(op.acc_row, static_cast<std::uint32_t>(state.configuration().acc_rows))};
  }
  for (Count kb = 0; kb < op.blocks; ++kb) {
    // All of the input between the outermost taps is read, whether a stride leaves it out or not.
    for (Count y = std::max<Count>(op.y0, 0);
         y < op.in_height && y < op.y0 + (op.out_height - 1) * op.stride_h + op.kernel_h; ++y) {
      for (Count x = std::max<Count>(op.x0, 0);
           x < op.in_width && x < op.x0 + (op.out_width - 1) * op.stride_w + op.kernel_w; ++x) {
        state.scratch(
            row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x));  // a fault when it is not there
      }
    }
    for (Count oy = 0; oy < op.out_height; ++oy) {
      for (Count ox = 0; ox < op.out_width; ++ox) {
        std::int32_t* sum = state.accumulator(op.acc_row + kb * positions + oy * op.out_width + ox);
        for (Count n = 0; n < DIM; ++n) {
          // Accumulators wrap around, hence unsigned.
          std::uint32_t value = op.accumulate ? static_cast<std::uint32_t>(sum[n]) : 0;
          for (Count ky = 0; ky < op.kernel_h; ++ky) {
            for (Count kx = 0; kx < op.kernel_w; ++kx) {
              const Count y = op.y0 + oy * op.stride_h + ky;
              const Count x = op.x0 + ox * op.stride_w + kx;
              const bool inside = 0 <= y && y < op.in_height && 0 <= x && x < op.in_width;
              const std::uint16_t row = row16(op.act_row + kb * op.plane_stride + y * op.row_stride + x);
              const std::int8_t* activation = inside ? state.scratch(row) : padding.data();
              const std::int8_t weight = state.weight(op.weight_row + kb * taps + ky * op.kernel_w + kx)[n];
              value += static_cast<std::uint32_t>(activation[n] * weight);
            }
          }
          sum[n] = static_cast<std::int32_t>(value);
        }
      }
    }
  }
  // end operation
}

}  // namespace systole::model
