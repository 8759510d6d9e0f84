// SPDX-License-Identifier: Apache-2.0
// Exponentials of binary32, by the method of Cephes: a is k log(2) + rest, and that of the rest a polynomial.
#pragma once

#include "functions/words.hpp"

namespace systole::golden::functions {

constexpr float kLog2High = 0.693359375F, kLog2Low = -2.12194440e-4F;  // log(2) in two parts

template <class F>
struct Reduced {
  typename F::Int k;
  F rest;
};

template <class F>
Reduced<F> reduced(const F& x) {
  constexpr float kLog2Inverse = 1.44269504088896341F;
  const auto k = to_int(x * kLog2Inverse);
  const F steps = to_float(k);
  return {k, x - steps * kLog2High - steps * kLog2Low};
}

/// exp(rest) - 1, of a rest of at most log(2) / 2.
template <class F>
F exponential_of_rest_less_one(const F& rest) {
  return polynomial(rest, {1.9875691500e-4F, 1.3981999507e-3F, 8.3334519073e-3F, 4.1665795894e-2F, 1.6666665459e-1F,
                           5.0000001201e-1F}) *
             (rest * rest) +
         rest;
}

/// exp(a), within 1 unit in the last place.
template <class F>
F exponential(const F& a) {
  constexpr float kLow = -88, kHigh = 89;  // beyond which the result is 0 or infinite
  const Reduced<F> x = reduced(minimum(maximum(a, F(kLow)), F(kHigh)));
  const auto half = x.k >> 1;  // the power in two steps: neither exceeds the range of exponents
  return (exponential_of_rest_less_one(x.rest) + 1.0F) * power_of_two<F>(half) * power_of_two<F>(x.k - half);
}

/// exp(a) - 1, within 2 units in the last place.
template <class F>
F expm1(const F& a) {
  constexpr float kLow = -30, kHigh = 89;  // beyond which the result is -1 or infinite
  const Reduced<F> x = reduced(minimum(maximum(a, F(kLow)), F(kHigh)));
  const F half = power_of_two<F>(x.k - 1);  // the whole power may exceed the range of exponents
  return (exponential_of_rest_less_one(x.rest) * half + (half - 0.5F)) * 2.0F;
}

/// exp(-|a|), within 1 unit in the last place.
template <class F>
F exponential_below_zero(const F& a) {
  const Reduced<F> x = reduced(maximum(as_float(as_int(a) | kSignBit), F(-88.0F)));
  return (exponential_of_rest_less_one(x.rest) + 1.0F) * power_of_two<F>(x.k);
}

/// exp(min(a, 0)) - 1, within 1 unit in the last place.
template <class F>
F exponential_less_one(const F& a) {
  const Reduced<F> x = reduced(maximum(minimum(a, F(0.0F)), F(-88.0F)));
  const F power = power_of_two<F>(x.k);
  return exponential_of_rest_less_one(x.rest) * power + (power - 1.0F);
}

}  // namespace systole::golden::functions
