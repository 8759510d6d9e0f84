// SPDX-License-Identifier: Apache-2.0
// Quotient and square root of binary32, correctly rounded, in steps that the vector processor has. Both are estimated
// by Newton's method and made exact with remainders, which are small, so that their low 32 bits are enough. Twice the
// result, plus 1 where a remainder is left, is rounded once, as an integer that becomes binary32.
#pragma once

#include "functions/words.hpp"

namespace systole::golden::functions {

constexpr std::int32_t kFraction = 0x7fffff, kHiddenBit = 0x800000, kOneBits = 0x3f800000;

/// Of the exponent field of a number: whether it is zero, subnormal, infinite or a NaN, if the product is 0.
template <class I>
I is_usual_exponent(const I& exponent) {
  return (I(255) - exponent) * exponent;
}
template <class F>
typename F::Int exponent_field(const F& a) {
  return shift_logical(as_int(a) << 1, typename F::Int(kFractionBits + 1));
}

/// a / b.
template <class F>
F quotient(const F& a, const F& b) {
  using I = typename F::Int;
  const I a_exponent = exponent_field(a), b_exponent = exponent_field(b);
  const I special = equal(is_usual_exponent(a_exponent) * is_usual_exponent(b_exponent), I(0));
  // Then it is a product: that of a and infinity where b is zero, zero where b is infinite, a NaN, or a power of two.
  const I inverse = (I(kInfinityBits) - (as_int(b) & kInfinityBits)) | is_nan(b) | (as_int(b) & kSignBit);
  const F instead = as_float(inverse) * a;

  // Both between 1 and 2, and as integers.
  const I a_fraction = as_int(a) & kFraction, b_fraction = as_int(b) & kFraction;
  const F x = as_float(a_fraction | kOneBits), y = as_float(b_fraction | kOneBits);
  const I x_whole = a_fraction | kHiddenBit, y_whole = b_fraction | kHiddenBit;
  F inverse_of_y = as_float(I(0x7ef311c7) - as_int(y));
  for (int step = 0; step < 3; ++step) {
    inverse_of_y = inverse_of_y * (F(2.0F) - y * inverse_of_y);
  }
  I whole = to_int(x * inverse_of_y * 0x1p25F);
  I rest = (x_whole << 25) - whole * y_whole;
  const I more = to_int(to_float(rest) * inverse_of_y * 0x1p-23F);
  rest = rest - more * y_whole;
  const I is_below = rest >> 31;
  whole = whole + more + is_below;
  rest = rest + (is_below & y_whole);
  const F ratio = to_float(whole + whole + equal(rest, I(0)) + 1) * 0x1p-26F;

  // The exponent in two steps, neither of which exceeds the range unless the result does.
  const I exponent = a_exponent - b_exponent;
  const I half = exponent >> 1;
  const F scaled = ratio * power_of_two<F>(half) * power_of_two<F>(exponent - half);
  const I sign = (as_int(a) ^ as_int(b)) & kSignBit;
  return select_float(special, instead, as_float(as_int(scaled) | sign));
}

/// The square root of a.
template <class F>
F root(const F& a) {
  using I = typename F::Int;
  const I exponent = exponent_field(a), sign = as_int(a) >> 31;
  const I special = equal(is_usual_exponent(exponent), I(0)) | sign;
  // Then it is a NaN where a is negative, otherwise a.
  const F instead = as_float((sign & (equal(exponent, I(0)) ^ -1)) | kOneBits) * a;

  const I odd = (exponent & 1) ^ 1;
  const I fraction = as_int(a) & kFraction;
  const F y = as_float(((odd << kFractionBits) + kOneBits) | fraction);  // from 1 to 4
  const I whole = (fraction | kHiddenBit) << 25 << odd;
  const F half = y * 0.5F;
  F inverse = as_float(I(0x5f3759df) - shift_logical(as_int(y), I(1)));  // of the root
  for (int step = 0; step < 3; ++step) {
    inverse = inverse * (F(1.5F) - inverse * inverse * half);
  }
  I estimate = to_int(y * inverse * 0x1p24F);
  I rest = whole - estimate * estimate;
  estimate = estimate + to_int(to_float(rest) * inverse * 0x1p-25F);
  rest = whole - estimate * estimate;
  const I is_below = rest >> 31;
  estimate = estimate + is_below;
  rest = rest + (is_below & (estimate + estimate + 1));
  const F result = to_float(estimate + estimate + equal(rest, I(0)) + 1);
  constexpr int kBiasAndScale = 177;  // 127, and twice 25
  const I scale = ((exponent - odd - kBiasAndScale) >> 1) << kFractionBits;
  return select_float(special, instead, as_float(as_int(result) + scale));
}

}  // namespace systole::golden::functions
