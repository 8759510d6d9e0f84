// SPDX-License-Identifier: Apache-2.0
#include "scaled_integer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace systole::golden {
namespace {

// A number of binary32 is an integer of 24 bits times a power of two from 2^-149 to 2^104.
constexpr int kSignificandBits = 24, kLeastExponent = -149, kGreatestExponent = 104;
constexpr std::uint32_t kSign = 0x80000000, kNan = 0x7fc00000, kFraction = 0x007fffff, kHidden = 0x00800000;

struct Scaled {
  std::int64_t value = 0;
  int exponent = 0;
};

int width(std::int64_t value) { return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(std::abs(value)))); }

/// The same number with 24 bits; zero if it is below 2^-126. It has at most 24 bits.
Scaled normalized(const Scaled& x) {
  const int up = kSignificandBits - width(x.value);
  return x.value == 0 || x.exponent - up < kLeastExponent ? Scaled{}
                                                          : Scaled{x.value * (std::int64_t{1} << up), x.exponent - up};
}

/// Of a finite number; subnormals are zeros.
Scaled scaled(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const int field = static_cast<int>((bits & ~kSign) / kHidden);
  const std::int64_t magnitude = kHidden | (bits & kFraction);
  return field == 0 ? Scaled{} : Scaled{(bits & kSign) != 0 ? -magnitude : magnitude, field - 1 + kLeastExponent};
}

}  // namespace

std::int64_t divided(std::int64_t value, int shift) {
  constexpr int kIsZero = 62;  // and every longer shift
  const std::int64_t unit = std::int64_t{1} << std::min(shift, kIsZero);
  const std::int64_t below = value >> std::min(shift, kIsZero);
  const std::int64_t rest = value - below * unit;
  const bool up = rest > unit - rest || (rest == unit - rest && below % 2 != 0);
  return below + static_cast<std::int64_t>(up);
}

float to_binary32(std::int64_t value, int exponent) {
  if (value == 0) {
    return 0;
  }
  int excess = std::max(0, width(value) - kSignificandBits);
  std::int64_t rounded = divided(value, excess);
  if (width(rounded) > kSignificandBits) {  // up to a power of two
    rounded /= 2;
    ++excess;
  }
  const Scaled result = normalized({rounded, exponent + excess});
  if (result.exponent > kGreatestExponent) {
    return std::copysign(std::numeric_limits<float>::infinity(), static_cast<float>(value));
  }
  if (result.value == 0) {
    return 0;
  }
  const auto magnitude = static_cast<std::uint32_t>(std::abs(result.value));
  const auto field = static_cast<std::uint32_t>(result.exponent - kLeastExponent + 1);
  return std::bit_cast<float>((result.value < 0 ? kSign : 0) | field * kHidden | (magnitude & kFraction));
}

float add_scaled(float sum, std::int32_t value, int exponent) {
  if (std::isnan(sum)) {
    return std::bit_cast<float>(kNan);
  }
  if (std::isinf(sum)) {
    return sum;
  }
  Scaled high = scaled(sum), low = normalized({value, exponent});
  if (high.value == 0 || (low.value != 0 && low.exponent > high.exponent)) {
    std::swap(high, low);
  }
  // So far below, `low` is less than 2^-8 units in the last place of `high`, which is a number of binary32: the sum
  // rounds to `high`. Otherwise it is an integer of at most 57 bits.
  constexpr int kFarBelow = 32;
  const int distance = high.exponent - low.exponent;
  return low.value == 0 || distance > kFarBelow
             ? to_binary32(high.value, high.exponent)
             : to_binary32(high.value * (std::int64_t{1} << distance) + low.value, low.exponent);
}

}  // namespace systole::golden
