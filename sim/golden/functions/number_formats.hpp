// SPDX-License-Identifier: Apache-2.0
// Numbers of other sizes as binary32, and back, in steps that the vector processor has.
#pragma once

#include "functions/words.hpp"

namespace systole::golden::functions {

/// binary16 of a, ties to even, as an integer with its sign; beyond its range infinite.
template <class F>
typename F::Int half_of(const F& a) {
  using I = typename F::Int;
  constexpr int kDropped = 13;                    // bits of a fraction
  constexpr std::int32_t kExponents = 0x1c000;    // the difference of the exponents
  constexpr std::int32_t kLeast = 0x38800000;     // 2^-14, below which are multiples of 2^-24
  constexpr std::int32_t kGreatest = 0x477fefff;  // the next one is 65520
  constexpr std::int32_t kHalfInfinity = 0x7c00, kHalfNan = 0x7e00;
  const I size = as_int(a) & kMagnitude;
  const I odd = shift_logical(size, I(kDropped)) & 1;
  I half = shift_logical(odd + 0xfff + size, I(kDropped)) - kExponents;
  half = select(less(size, I(kLeast)), to_int(as_float(size) * 0x1p24F), half);
  half = select(less(I(kGreatest), size), I(kHalfInfinity), half);
  half = select(less(I(kInfinityBits), size), I(kHalfNan), half);
  return half | ((as_int(a) >> 31) & -0x8000);
}

/// binary32 of binary16, exact; `a` is an integer whose low 16 bits count.
template <class F>
F of_half(const typename F::Int& a) {
  using I = typename F::Int;
  constexpr int kDropped = 13;
  constexpr std::int32_t kHalfInfinity = 0x7c00, kLeast = 0x400;
  const I size = a & 0x7fff;
  const F usual = as_float(size << kDropped) * 0x1p112F;  // the difference of the exponents
  I bits = as_int(select_float(less(size, I(kLeast)), to_float(size) * 0x1p-24F, usual));
  const I special = (less(I(kHalfInfinity), size) & kNanBits) | kInfinityBits;
  bits = select(less(I(kHalfInfinity - 1), size), special, bits);
  return as_float(bits | ((a >> 31) & kSignBit));
}

/// bfloat16 of a: its upper half, rounded to nearest, ties to even; one NaN.
template <class F>
typename F::Int bfloat_of(const F& a) {
  using I = typename F::Int;
  const I bits = as_int(a);
  const I rounded = (bits + (shift_logical(bits, I(16)) & 1) + 0x7fff) >> 16;
  return select(is_nan(a), I(0x7fc0), rounded);
}

/// binary32 of bfloat16, exact; NaNs become quiet. The low 16 bits of `a` count.
template <class F>
F of_bfloat(const typename F::Int& a) {
  const auto bits = a << 16;
  return as_float(bits | (is_nan(F(as_float(bits))) & 0x400000));
}

/// binary32 of an integer of 64 bits in two words, rounded to nearest, ties to even; `sign` is -1 if it has one, else
/// 0. The 32 bits from the first one on become binary32, with a last bit that is set if any further one is.
template <class F>
F of_wide(const typename F::Int& low_word, const typename F::Int& high_word, const typename F::Int& sign) {
  using I = typename F::Int;
  const I negative = (high_word >> 31) & sign;
  const I low_magnitude = (low_word ^ negative) - negative;
  const I high_magnitude = (high_word ^ negative) - (equal(low_magnitude, I(0)) & negative);

  // Without high bits, the low ones take their place.
  const I is_short = equal(high_magnitude, I(0));
  const I high = select(is_short, low_magnitude, high_magnitude);
  const I low = low_magnitude & (is_short ^ -1);
  const I zeros = count_zeros(high);
  const I dropped = low << zeros;
  const I first = (high << zeros) | shift_logical(shift_logical(low, I(1)), I(31) - zeros);
  const I sticky = (equal(dropped, I(0)) + 1) | (first & 1);
  const F number = to_float(shift_logical(first, I(1)) | sticky);
  const F scale = as_float((I(160) - ((is_short & 32) + zeros)) << kFractionBits);
  return as_float(as_int(number * scale) | (negative & kSignBit));
}

}  // namespace systole::golden::functions
