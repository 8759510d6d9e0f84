// SPDX-License-Identifier: Apache-2.0
// Powers of binary32: exp(b log |a|). The logarithm and the product are sums of two numbers, after T. J. Dekker, "A
// floating-point technique for extending the available precision" (1971).
#pragma once

#include "functions/logarithm.hpp"

namespace systole::golden::functions {

/// high + low, where low is below a unit in the last place of high.
template <class F>
struct Twofold {
  F high, low;
};

/// The upper half of a number's digits: products of two such are exact.
template <class F>
F upper_half(const F& a) {
  return as_float(as_int(a) & ~0xfff);
}

/// log(a), of a number above 0, with some four digits more than binary32 has.
template <class F>
Twofold<F> twofold_logarithm(const F& a) {
  using I = typename F::Int;
  const I bits = as_int(a);
  const I exponent = (bits - kRootOfHalfBits) >> kFractionBits;
  const F x = as_float(bits - (exponent << kFractionBits)) - 1.0F, steps = to_float(exponent);
  const F large = steps * kLog2High, half = upper_half(x), square = half * half * 0.5F;
  const F sum = large + x, high = sum - square;
  const F lost = (x - (sum - large)) + ((sum - high) - square);
  const F cube =
      polynomial(x, {7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                     -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F}) *
      x * (x * x);
  const F low = lost - (x + half) * (x - half) * 0.5F + cube + steps * kLog2Low;
  const F rounded = high + low;
  return {rounded, low - (rounded - high)};
}

/// a to the power of b. As IEEE 754's pow(): 1 where b is 0 or a is 1; NaN of a negative number to a power that is no
/// integer. Within 1 + |b log(a)| / 5 units in the last place. Subnormal numbers are 0.
template <class F>
F power(const F& a, const F& b) {
  using I = typename F::Int;
  constexpr float kOne = 1.0F;
  constexpr std::int32_t kOneBits = 0x3f800000, kAllIntegers = 0x4b800000;  // 2^24, from which on all are even
  const I size = as_int(a) & kMagnitude, of_power = as_int(b) & kMagnitude;
  const Twofold<F> log = twofold_logarithm(as_float(size));
  // Of 0 and infinity, whose logarithms are infinite.
  const I zero = less(size, I(1 << kFractionBits)), infinite = less(I(kInfinityBits - 1), size);
  const F high = as_float(select(zero, I(kInfinityBits | kSignBit), select(infinite, size, as_int(log.high))));
  const F product = b * high;
  const F b_half = upper_half(b), log_half = upper_half(high);
  const F lost = ((b_half * log_half - product) + b_half * (high - log_half) + (b - b_half) * log_half) +
                 (b - b_half) * (high - log_half) + b * log.low;
  constexpr float kLow = -88, kHigh = 89;
  const I in_range = less(as_int(product) & kMagnitude, as_int(F(kHigh)));
  const Reduced<F> x = reduced(minimum(maximum(product, F(kLow)), F(kHigh)));
  const F rest = x.rest + as_float(as_int(lost) & in_range);
  const I step = x.k >> 1;
  const F result = (exponential_of_rest_less_one(rest) + kOne) * power_of_two<F>(step) * power_of_two<F>(x.k - step);
  // The sign, of odd powers, and what has none.
  const I number = to_int(b), large = less(I(kAllIntegers - 1), of_power);
  const I is_integer = large | equal(as_int(to_float(number)) & kMagnitude, of_power);
  const I sign = as_int(a) & kSignBit & ((number << 31) & (large ^ -1));
  const I negative_root = (as_int(a) >> 31) & ((is_integer | zero | infinite) ^ -1);
  const I nan = negative_root | less(I(kInfinityBits), size) | less(I(kInfinityBits), of_power);
  const I known = equal(of_power, I(0)) | equal(as_int(a), I(kOneBits)) |
                  (equal(size, I(kOneBits)) & equal(of_power, I(kInfinityBits)));
  return as_float(select(known, I(kOneBits), select(nan, I(kNanBits), as_int(result) | sign)));
}

}  // namespace systole::golden::functions
