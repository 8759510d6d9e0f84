// SPDX-License-Identifier: Apache-2.0
//
// Requantization: the only C++ implementation of the rounding rules, used by the golden
// model, the functional model and the compiler. The RTL has its own implementation, which
// is checked with the same vectors (tests/vectors/requantize.csv).
//
// A real scale factor is represented by a QuantParam, a 31-bit multiplier and a shift:
//
//     value = acc * multiplier * 2^(shift - 31)
//
// Input range, all roundings: any int32 acc; multiplier 0 .. 2^31-1; shift -31 .. 30.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "systole/errors.hpp"

namespace systole {

static_assert((std::int64_t{-1} >> 1) == -1, "right shifts of negative values must be arithmetic");

// How the scaled value is rounded to an integer. The numbers are the encoding in instructions.
enum class Rounding : std::uint8_t {
  // TensorFlow Lite reference kernels (MultiplyByQuantizedMultiplier in kernels/internal/common.h,
  // built on gemmlowp's fixedpoint.h): saturate(acc << max(shift, 0)), then the saturating
  // rounding doubling high multiply, then a rounding right shift. Rounds twice.
  kDouble = 0,
  // One rounding of the exact product, ties toward plus infinity (TFLITE_SINGLE_ROUNDING).
  kSingle = 1,
  // One rounding of the exact product, ties to even (the QLinear operators of ONNX).
  kEven = 2,
};

inline constexpr int kMinQuantShift = -31;
inline constexpr int kMaxQuantShift = 30;
inline constexpr int kMaxAveragePoolCount = 4096;

struct QuantParam {
  std::int32_t multiplier = 0;
  int shift = 0;
};

constexpr bool operator==(const QuantParam& a, const QuantParam& b) {
  return a.multiplier == b.multiplier && a.shift == b.shift;
}
constexpr bool operator!=(const QuantParam& a, const QuantParam& b) { return !(a == b); }

constexpr bool is_valid(const QuantParam& param) {
  return param.multiplier >= 0 && param.shift >= kMinQuantShift && param.shift <= kMaxQuantShift;
}

constexpr std::int32_t saturate_to_int32(std::int64_t value) {
  if (value > std::numeric_limits<std::int32_t>::max()) {
    return std::numeric_limits<std::int32_t>::max();
  }
  if (value < std::numeric_limits<std::int32_t>::min()) {
    return std::numeric_limits<std::int32_t>::min();
  }
  return static_cast<std::int32_t>(value);
}

// floor((a * b + 2^30) / 2^31): the high half of 2ab, rounded, ties toward plus infinity.
// gemmlowp writes it as a sign-dependent nudge and a division toward zero, which is the same
// number; its one saturating case, a = b = -2^31, cannot occur because b >= 0.
constexpr std::int32_t rounding_doubling_high_multiply(std::int32_t a, std::int32_t b) {
  assert(b >= 0);
  const std::int64_t product = std::int64_t{a} * b;
  return static_cast<std::int32_t>((product + (std::int64_t{1} << 30)) >> 31);
}

// value / 2^exponent rounded to nearest, ties away from zero; exponent 0 .. 31.
constexpr std::int32_t rounding_divide_by_power_of_two(std::int32_t value, int exponent) {
  assert(exponent >= 0 && exponent <= 31);
  const std::int64_t mask = (std::int64_t{1} << exponent) - 1;
  const std::int64_t remainder = value & mask;
  const std::int64_t threshold = (mask >> 1) + (value < 0 ? 1 : 0);
  const std::int64_t quotient = std::int64_t{value} >> exponent;
  return static_cast<std::int32_t>(quotient + (remainder > threshold ? 1 : 0));
}

// acc * multiplier * 2^(shift - 31), rounded as named. kDouble always fits in int32. The other
// two do not saturate: with a positive shift they reach 2^61, hence the wide result.
constexpr std::int64_t multiply_by_quantized_multiplier(std::int32_t acc, std::int32_t multiplier, int shift,
                                                        Rounding rounding) {
  assert(is_valid(QuantParam{multiplier, shift}));
  if (rounding == Rounding::kDouble) {
    const int left = shift > 0 ? shift : 0;
    const int right = shift > 0 ? 0 : -shift;
    const std::int32_t shifted = saturate_to_int32(std::int64_t{acc} * (std::int64_t{1} << left));
    return rounding_divide_by_power_of_two(rounding_doubling_high_multiply(shifted, multiplier), right);
  }
  const std::int64_t product = std::int64_t{acc} * multiplier;
  const int right = 31 - shift;  // 1 .. 62
  const std::int64_t half = std::int64_t{1} << (right - 1);
  if (rounding == Rounding::kSingle) {
    return (product + half) >> right;  // |product| + half < 2^63
  }
  const std::int64_t floor = product >> right;
  const std::int64_t remainder = product & ((half << 1) - 1);
  const bool up = remainder > half || (remainder == half && (floor & 1) != 0);
  return floor + (up ? 1 : 0);
}

constexpr std::int64_t multiply_by_quantized_multiplier(std::int32_t acc, const QuantParam& param, Rounding rounding) {
  return multiply_by_quantized_multiplier(acc, param.multiplier, param.shift, rounding);
}

// clamp(round(value) + zero_point). clamp_min and clamp_max already carry the activation
// function (RELU, RELU6, ...) in the output scale; clamp_min <= clamp_max.
constexpr std::int8_t requantize(std::int32_t acc, const QuantParam& param, std::int32_t zero_point,
                                 std::int8_t clamp_min, std::int8_t clamp_max, Rounding rounding) {
  const std::int64_t value = multiply_by_quantized_multiplier(acc, param, rounding) + zero_point;
  return static_cast<std::int8_t>(value < clamp_min ? clamp_min : value > clamp_max ? clamp_max : value);
}

// The nearest QuantParam of a real factor 0 <= real < 2^30, as TensorFlow Lite's
// QuantizeMultiplier makes it: multiplier in [2^30, 2^31), ties away from zero. Factors below
// 2^-32 have no shift and become 0.
inline QuantParam quantize_multiplier(double real) {
  if (!(real >= 0.0) || !std::isfinite(real)) {
    throw InvalidArgument("quantize_multiplier: factor " + std::to_string(real) + " is not a finite number >= 0");
  }
  if (real == 0.0) {
    return {};
  }
  int shift = 0;
  const double mantissa = std::frexp(real, &shift);  // [0.5, 1)
  auto fixed = static_cast<std::int64_t>(std::round(mantissa * 2147483648.0));
  if (fixed == (std::int64_t{1} << 31)) {
    fixed /= 2;
    ++shift;
  }
  if (shift < kMinQuantShift) {
    return {};
  }
  if (shift > kMaxQuantShift) {
    throw InvalidArgument("quantize_multiplier: factor " + std::to_string(real) + " is not below 2^30");
  }
  return {static_cast<std::int32_t>(fixed), shift};
}

// The factor 1/count of average pooling, for use with Rounding::kSingle on the plain int8 sum.
// multiplier = floor(2^s / count) + 1, with the largest s that keeps it in 31 bits, shift = 31 - s.
//
// Why not the nearest reciprocal: this one is always slightly too large in magnitude, so that a
// tie of either sign lands just beyond the tie and rounds away from zero, which is what the
// reference kernel's (sum +- count/2) / count does. The excess, |sum| / 2^s at most, is smaller
// than 1/(2 count), the distance of any other sum from a tie, so nothing else moves.
inline QuantParam average_pool_reciprocal(int count) {
  if (count < 1 || count > kMaxAveragePoolCount) {
    throw InvalidArgument("average_pool_reciprocal: count " + std::to_string(count) + " is not in 1 .. " +
                          std::to_string(kMaxAveragePoolCount));
  }
  constexpr std::int64_t kLimit = std::int64_t{1} << 31;
  int s = 30;
  while ((std::int64_t{1} << (s + 1)) / count + 1 < kLimit) {
    ++s;
  }
  return {static_cast<std::int32_t>((std::int64_t{1} << s) / count + 1), 31 - s};
}

}  // namespace systole
