// SPDX-License-Identifier: Apache-2.0
// Accumulators to scratchpad and back.
#include <cstring>

#include "model_operations.hpp"
#include "model_parameters.hpp"

namespace systole::model {

void run(State& state, const isa::Drain& op) {
  const int DIM = state.dim();
  const auto rounding = static_cast<Rounding>(op.rounding);
  // operation: DRAIN
  const ChannelParameters channel = read_channel_parameters(state, op.params);  // 9 rows
  const Addition add = op.residual ? read_addition(state, op) : Addition{};     // 6 rows, as ADD
  const std::int8_t zero = op.residual ? op.zero1 : op.zero_point;
  const std::int8_t low = op.residual ? op.mid_min : op.clamp_min;
  const std::int8_t high = op.residual ? op.mid_max : op.clamp_max;
  Count position = op.src;
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox, ++position) {
      const std::int32_t* sum = state.accumulator(position);
      const std::int8_t* second = op.residual ? state.scratch(row16(op.src2 + oy * op.src2_stride + ox)) : nullptr;
      std::int8_t* out = state.scratch(row16(op.dst + oy * op.dst_stride + ox));
      for (Count n = 0; n < DIM; ++n) {
        const auto lane = static_cast<std::size_t>(n);
        const std::int32_t biased = wrapping_add(sum[n], channel.bias[lane]);
        std::int8_t value = clamp_to(rescale(biased, channel.scale[lane], rounding) + zero, low, high);
        if (op.table) {
          value = state.look_up(value);
        }
        out[n] = op.residual ? add(value, second[n]) : value;
      }
    }
  }
  // end operation
}

void run(State& state, const isa::Drain32& op) {
  const int DIM = state.dim();
  // operation: DRAIN32
  Count position = op.src;
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox, ++position) {
      const auto* bytes = reinterpret_cast<const std::int8_t*>(state.accumulator(position));  // 4*DIM of them
      for (Count plane = 0; plane < 4; ++plane) {
        const std::uint16_t row = row16(op.dst + oy * op.dst_stride + ox + plane * op.plane_stride);
        std::memcpy(state.scratch(row), bytes + plane * DIM, static_cast<std::size_t>(DIM));
      }
    }
  }
  // end operation
}

void run(State& state, const isa::Preload& op) {
  const int DIM = state.dim();
  // operation: PRELOAD
  Count position = op.dst;
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox, ++position) {
      const std::int8_t* planes[4];
      for (Count plane = 0; plane < 4; ++plane) {
        planes[plane] = state.scratch(row16(op.src + oy * op.src_stride + ox + plane * op.plane_stride));
      }
      auto* bytes = reinterpret_cast<std::int8_t*>(state.accumulator(position));
      for (Count plane = 0; plane < 4; ++plane) {
        std::memcpy(bytes + plane * DIM, planes[plane], static_cast<std::size_t>(DIM));
      }
    }
  }
  // end operation
}

}  // namespace systole::model
