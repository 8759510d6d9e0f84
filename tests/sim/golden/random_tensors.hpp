// SPDX-License-Identifier: Apache-2.0
// rapidcheck generators of golden operands.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "output_stage.hpp"
#include "tensor.hpp"

namespace systole::golden::test {

// Uniform: rapidcheck's own ranges stay near their low end in the first cases of a property.
template <class Integer>
rc::Gen<Integer> uniform(Integer low, Integer past_high) {
  return rc::gen::resize(rc::kNominalSize, rc::gen::inRange<Integer>(low, past_high));
}

inline int between(int low, int high) { return *uniform(low, high + 1); }

inline Tensor8 random_tensor(const NhwcShape& shape) {
  const auto element = rc::gen::map(uniform(-128, 128), [](int value) { return static_cast<std::int8_t>(value); });
  return {shape, *rc::gen::container<std::vector<std::int8_t>>(shape.size(), element)};
}

inline Matrix8 random_matrix(int rows, int columns) {
  return {rows, columns, random_tensor(NhwcShape{1, 1, rows, columns}).data};
}

inline Bias random_bias(int channels) {
  return *rc::gen::container<Bias>(std::size_t(channels), uniform(-100000, 100001));
}

inline QuantParam random_scale(int min_shift, int max_shift) {
  return {between(1 << 30, 2147483646), between(min_shift, max_shift)};
}

inline Rounding random_rounding() { return *rc::gen::element(Rounding::kDouble, Rounding::kSingle, Rounding::kEven); }

inline Requantize random_stage(int channels) {
  Requantize stage;
  stage.scale.clear();
  for (int c = 0; c < channels; ++c) {
    stage.scale.push_back(random_scale(-12, -4));
  }
  stage.zero_point = between(-128, 127);
  stage.clamp_min = static_cast<std::int8_t>(between(-128, 0));
  stage.rounding = random_rounding();
  return stage;
}

}  // namespace systole::golden::test
