// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "model_operations.hpp"
#include "model_parameters.hpp"

namespace systole::model {

void run(State& state, const isa::Add& op) {
  const int DIM = state.dim();
  // operation: ADD
  const Addition add = read_addition(state, op);  // 6 parameter rows: three entries of multiplier and shift
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox) {
      const std::int8_t* first = state.scratch(row16(op.src + oy * op.src_stride + ox));
      const std::int8_t* second = state.scratch(row16(op.src2 + oy * op.src2_stride + ox));
      std::int8_t* out = state.scratch(row16(op.dst + oy * op.dst_stride + ox));
      for (Count n = 0; n < DIM; ++n) {
        // s1 = rescale((x1 - zero1) << 20, entry 0), s2 = rescale((x2 - zero2) << 20, entry 1), both saturated to int32
        // result = clamp(rescale(s1 + s2, entry 2) + zero_point)
        out[n] = add(first[n], second[n]);
      }
    }
  }
  // end operation
}

void run(State& state, const isa::Multiply& op) {
  const int DIM = state.dim();
  const auto rounding = static_cast<Rounding>(op.rounding);
  // operation: MULTIPLY
  const Scale scale = read_scale(state, op.scalars);
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox) {
      const std::int8_t* first = state.scratch(row16(op.src + oy * op.src_stride + ox));
      const std::int8_t* second = state.scratch(row16(op.src2 + oy * op.src2_stride + ox));
      std::int8_t* out = state.scratch(row16(op.dst + oy * op.dst_stride + ox));
      for (Count n = 0; n < DIM; ++n) {
        const std::int32_t product = (first[n] - op.zero1) * (second[n] - op.zero2);
        out[n] = clamp_to(rescale(product, scale, rounding) + op.zero_point, op.clamp_min, op.clamp_max);
      }
    }
  }
  // end operation
}

void run(State& state, const isa::Map& op) {
  const int DIM = state.dim();
  // operation: MAP
  for (Count oy = 0; oy < op.out_height; ++oy) {
    for (Count ox = 0; ox < op.out_width; ++ox) {
      const std::int8_t* in = state.scratch(row16(op.src + oy * op.src_stride + ox));
      std::int8_t* out = state.scratch(row16(op.dst + oy * op.dst_stride + ox));
      for (Count n = 0; n < DIM; ++n) {
        out[n] = clamp_to(op.table ? state.look_up(in[n]) : in[n], op.clamp_min, op.clamp_max);
      }
    }
  }
  // end operation
}

void run(State& state, const isa::Table& op) {
  const int DIM = state.dim();
  // operation: TABLE
  const Count bytes = op.words ? 1024 : 256;
  auto* table = op.words ? reinterpret_cast<std::int8_t*>(state.words().data()) : state.table().data();
  for (Count r = 0; r < bytes / DIM; ++r) {
    std::memcpy(table + r * DIM, state.param(row16(op.params + r)), static_cast<std::size_t>(DIM));
  }
  // end operation
}

}  // namespace systole::model
