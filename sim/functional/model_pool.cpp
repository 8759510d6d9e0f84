// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "model_operations.hpp"
#include "model_parameters.hpp"

namespace systole::model {
namespace {

/// Calls tap(row) for each position inside the input of the window of output (oy, ox), and returns the number of
/// positions outside.
template <typename Op, typename Tap>
int visit_window(const Op& op, Count oy, Count ox, Tap tap) {
  int missing = 0;
  for (Count ky = 0; ky < op.kernel_h; ++ky) {
    for (Count kx = 0; kx < op.kernel_w; ++kx) {
      const Count y = op.y0 + oy * op.stride_h + ky * op.dilation_h;
      const Count x = op.x0 + ox * op.stride_w + kx * op.dilation_w;
      if (0 <= y && y < op.in_height && 0 <= x && x < op.in_width) {
        tap(row16(op.src + y * op.src_stride + x));
      } else {
        ++missing;
      }
    }
  }
  return missing;
}

}  // namespace

void run(State& state, const isa::Maxpool& op) {
  const int DIM = state.dim();
  std::vector<std::int8_t> best(static_cast<std::size_t>(DIM));
  // operation: MAXPOOL
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox) {
      std::fill(best.begin(), best.end(), op.clamp_min);
      // In the order ky, kx: y = y0 + oy*stride_h + ky*dilation_h, x alike; row = src + y*src_stride + x when inside.
      visit_window(op, oy, ox, [&](std::uint16_t row) {
        const std::int8_t* in = state.scratch(row);
        for (Count n = 0; n < DIM; ++n) {
          best[static_cast<std::size_t>(n)] = std::max(best[static_cast<std::size_t>(n)], in[n]);
        }
      });
      std::int8_t* out = state.scratch(row16(op.dst + oy * op.dst_stride + ox));
      for (Count n = 0; n < DIM; ++n) {
        out[n] = std::min(best[static_cast<std::size_t>(n)], op.clamp_max);
      }
    }
  }
  // end operation
}

void run(State& state, const isa::Avgpool& op) {
  const int DIM = state.dim();
  const auto rounding = static_cast<Rounding>(op.rounding);
  std::vector<std::int32_t> sum(static_cast<std::size_t>(DIM));
  // operation: AVGPOOL
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox) {
      std::fill(sum.begin(), sum.end(), 0);
      // In the order ky, kx: y = y0 + oy*stride_h + ky*dilation_h, x alike; row = src + y*src_stride + x when inside.
      int missing = visit_window(op, oy, ox, [&](std::uint16_t row) {
        const std::int8_t* in = state.scratch(row);
        for (Count n = 0; n < DIM; ++n) {
          sum[static_cast<std::size_t>(n)] += in[n];
        }
      });
      const std::int32_t outside = op.count_padding ? missing * op.zero1 : 0;
      missing = op.count_padding ? 0 : missing;
      const Scale reciprocal = read_scale(state, row16(op.scalars + 2 * missing));
      std::int8_t* out = state.scratch(row16(op.dst + oy * op.dst_stride + ox));
      for (Count n = 0; n < DIM; ++n) {
        const std::int64_t average = rescale(sum[static_cast<std::size_t>(n)] + outside, reciprocal, rounding);
        out[n] = clamp_to(average + op.zero_point, op.clamp_min, op.clamp_max);
      }
    }
  }
  // end operation
}

}  // namespace systole::model
