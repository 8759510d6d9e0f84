// SPDX-License-Identifier: Apache-2.0
// Parameter buffer entries of the vector instructions, and their arithmetic.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "model_state.hpp"
#include "systole/requantize.hpp"

namespace systole::model {

/// A multiplier and shift as stored in memory. Legal ones satisfy is_valid(); illegal ones are computed with all their
/// bits (multiplier as int32, shift as 6 bits), so that an illegal program still has a defined result.
using Scale = QuantParam;

/// The shift is the low six bits of its byte, signed.
constexpr int shift_of(std::int8_t byte) { return (byte & 0x3f) - ((byte & 0x20) << 1); }

std::int64_t rescale_any(std::int32_t value, const Scale& scale, Rounding rounding);

/// value * multiplier * 2^(shift - 31), with the given rounding.
inline std::int64_t rescale(std::int32_t value, const Scale& scale, Rounding rounding) {
  return is_valid(scale) ? multiply_by_quantized_multiplier(value, scale, rounding)
                         : rescale_any(value, scale, rounding);
}

constexpr std::int8_t clamp_to(std::int64_t value, std::int8_t low, std::int8_t high) {
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(value, low, high));
}

/// 32-bit addition of the hardware's adders.
constexpr std::int32_t wrapping_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}

/// Bias and scale of every lane: 4 rows bias, 4 rows multiplier, 1 row shift.
struct ChannelParameters {
  std::vector<std::int32_t> bias;
  std::vector<Scale> scale;
};
ChannelParameters read_channel_parameters(State& state, std::uint16_t row);

/// One scalar entry of two rows.
Scale read_scale(State& state, std::uint16_t row);

/// Quantized addition of ADD and of DRAIN with a residual.
struct Addition {
  std::array<Scale, 3> scale;  ///< first operand, second operand, sum
  std::int8_t zero1, zero2, zero_point, clamp_min, clamp_max;
  Rounding rounding;

  std::int8_t operator()(std::int8_t x1, std::int8_t x2) const;
};

template <typename Op>
Addition read_addition(State& state, const Op& op) {
  Addition a{};
  for (std::size_t i = 0; i < a.scale.size(); ++i) {
    a.scale[i] = read_scale(state, row16(op.scalars + 2 * static_cast<int>(i)));
  }
  a.zero1 = op.zero1;
  a.zero2 = op.zero2;
  a.zero_point = op.zero_point;
  a.clamp_min = op.clamp_min;
  a.clamp_max = op.clamp_max;
  a.rounding = static_cast<Rounding>(op.rounding);
  return a;
}

}  // namespace systole::model
