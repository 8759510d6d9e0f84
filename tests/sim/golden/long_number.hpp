// SPDX-License-Identifier: Apache-2.0
// Sums of integers times powers of two, exact from 2^-320 to 2^310, and their rounding to binary32 bit by bit: the
// reference of block products. It shares nothing with them.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace systole::golden::test {

class LongNumber {
 public:
  /// Adds value * 2^exponent; |value| is below 2^31.
  void add(std::int64_t value, int exponent) {
    const int place = exponent + kBelow;
    const std::int64_t moved = value * (std::int64_t{1} << (place % kDigitBits));
    digits_.at(std::size_t(place / kDigitBits)) += moved;
    carry();
  }

  /// A finite number, also a subnormal one.
  void add(float number) {
    int exponent = 0;
    const float fraction = std::frexp(number, &exponent);
    add(static_cast<std::int64_t>(std::ldexp(fraction, kPrecision)), exponent - kPrecision);
  }

  /// To nearest even with unbounded exponents, then +0 below 2^-126 and an infinity from 2^128 on.
  float rounded() const {
    LongNumber magnitude = *this;
    const bool negative = digits_.back() < 0;
    if (negative) {
      for (std::int64_t& digit : magnitude.digits_) digit = -digit;
      magnitude.carry();
    }
    int top = kBits - 1;
    while (top >= 0 && !magnitude.bit(top)) --top;
    if (top < 0) return 0;
    std::int64_t significand = 0;
    for (int n = 0; n < kPrecision; ++n) significand = 2 * significand + static_cast<int>(magnitude.bit(top - n));
    bool rest = false;
    for (int n = top - kPrecision - 1; n >= 0; --n) rest = rest || magnitude.bit(n);
    const bool half = magnitude.bit(top - kPrecision);
    significand += static_cast<int>(half && (rest || significand % 2 != 0));
    const double result = std::ldexp(static_cast<double>(significand), top - kPrecision + 1 - kBelow);
    const double sign = negative ? -1 : 1;
    if (result < 0x1p-126) return 0;
    return static_cast<float>(sign * (result < 0x1p128 ? result : std::numeric_limits<double>::infinity()));
  }

 private:
  static constexpr int kPrecision = 24, kDigitBits = 30, kDigits = 23, kBelow = 320, kBits = kDigitBits * kDigits;

  /// Digits 0 .. 2^30-1, but for the last one, which has the sign.
  void carry() {
    for (std::size_t n = 0; n + 1 < digits_.size(); ++n) {
      const std::int64_t over = digits_[n] >> kDigitBits;
      digits_[n] -= over * (std::int64_t{1} << kDigitBits);
      digits_[n + 1] += over;
    }
  }

  bool bit(int n) const { return n >= 0 && ((digits_[std::size_t(n / kDigitBits)] >> (n % kDigitBits)) & 1) != 0; }

  std::array<std::int64_t, kDigits> digits_{};
};

}  // namespace systole::golden::test
