// SPDX-License-Identifier: Apache-2.0
// Sums of block floating point, by the rules of sim/golden/block_float.md, in the arithmetic of the host: products of a
// block have 19 bits, so that they and their exponents are a binary32, and an addition of binary32 rounds once.
#pragma once

#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>

namespace systole::model {

inline constexpr std::uint8_t kNanExponent = 255;
inline constexpr int kExponentBias = 133;  ///< of a mantissa that is an integer

/// sum + products * 2^(act_exponent + weight_exponent - 266).
inline float add_block(float sum, std::int32_t products, std::uint8_t act_exponent, std::uint8_t weight_exponent) {
  if (act_exponent == kNanExponent || weight_exponent == kNanExponent || std::isnan(sum)) {
    return std::numeric_limits<float>::quiet_NaN();
  }
  if (std::isinf(sum)) {
    return sum;
  }
  const auto flushed = [](auto value) { return std::abs(value) < FLT_MIN ? decltype(value){0} : value; };
  const int exponent = act_exponent + weight_exponent - 2 * kExponentBias;
  const double power = std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  const double addend = flushed(products * power);
  // From 2^128 on the addend is no binary32. Then a double has all bits of each sum that does not end as an infinity.
  const float result = std::abs(addend) <= double{FLT_MAX} ? flushed(sum) + static_cast<float>(addend)
                                                           : static_cast<float>(sum + addend);
  return flushed(result);
}

}  // namespace systole::model
