// SPDX-License-Identifier: Apache-2.0
// 16-bit floating-point storage formats. All arithmetic is in float or double; these types only convert.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace systole::graph {

/// IEEE 754 binary16: 10 fraction bits, minimum exponent -14, ties to even; overflow becomes infinity.
struct Float16 {
  Float16() = default;
  explicit Float16(double value) : bits(bits_of(value)) {}
  operator float() const {
    const int exponent = (bits & 0x7FFF) >> kFraction;
    const int fraction = bits & ((1 << kFraction) - 1);
    float magnitude = std::numeric_limits<float>::infinity();
    if (exponent == kSpecial && fraction != 0) {
      magnitude = std::numeric_limits<float>::quiet_NaN();
    } else if (exponent != kSpecial) {
      const int whole = exponent == 0 ? fraction : fraction + (1 << kFraction);
      magnitude = std::ldexp(static_cast<float>(whole), (exponent == 0 ? 0 : exponent - 1) + kLeast - kFraction);
    }
    return (bits & 0x8000) != 0 ? -magnitude : magnitude;
  }
  std::uint16_t bits = 0;

 private:
  static constexpr int kFraction = 10;
  static constexpr int kLeast = -14;
  static constexpr int kSpecial = 31;  ///< exponent of infinities and NaNs

  static std::uint16_t bits_of(double value) {
    const int sign = std::signbit(value) ? 0x8000 : 0;
    const int infinite = sign | kSpecial << kFraction;
    if (std::isnan(value)) {
      return static_cast<std::uint16_t>(infinite | 1 << (kFraction - 1));
    }
    const double magnitude = std::abs(value);
    if (magnitude >= 65520) {  // half a step above the largest
      return static_cast<std::uint16_t>(infinite);
    }
    // Numbers below 2^kLeast are subnormal. Rounding up to 2^kFraction carries into the exponent, as it should.
    const int exponent = magnitude < std::ldexp(1.0, kLeast) ? kLeast : std::ilogb(magnitude);
    const int steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, kFraction - exponent)));
    return static_cast<std::uint16_t>(sign | (steps + ((exponent - kLeast) << kFraction)));
  }
};

/// The upper half of a float; ties to even.
struct Bfloat16 {
  Bfloat16() = default;
  explicit Bfloat16(double value) {
    const auto number = static_cast<float>(value);
    std::uint32_t all = 0;
    std::memcpy(&all, &number, sizeof all);
    const std::uint32_t below_half = 0x7FFF;
    bits = static_cast<std::uint16_t>(std::isnan(number) ? 0x7FC0U : (all + below_half + (all >> 16 & 1)) >> 16);
  }
  operator float() const {
    const std::uint32_t all = std::uint32_t{bits} << 16;
    float number = 0;
    std::memcpy(&number, &all, sizeof number);
    return number;
  }
  std::uint16_t bits = 0;
};

}  // namespace systole::graph
