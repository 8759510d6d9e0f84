// SPDX-License-Identifier: Apache-2.0
// The natural logarithm of binary32, by the method of Cephes: of a power of two, and of what is left, between sqrt(1/2)
// and sqrt(2), by a polynomial.
#pragma once

#include "functions/exponential.hpp"

namespace systole::golden::functions {

/// log(2^steps (1 + x)) = steps log(2) + x - x^2 / 2 + ..., of an x from sqrt(1/2) - 1 to sqrt(2) - 1.
template <class F>
F logarithm_of_parts(const F& steps, const F& x) {
  const F square = x * x;
  const F sum =
      polynomial(x, {7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                     -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F}) *
      x * square;
  return sum + steps * kLog2Low - square * 0.5F + x + steps * kLog2High;
}

/// A logarithm where there is one: infinity and NaN are what they are; negative numbers have none; that of 0 is
/// infinite.
template <class F>
F logarithm_if(const F& a, const F& found) {
  using I = typename F::Int;
  constexpr std::int32_t kGreatest = 0x7f7fffff;
  const I bits = as_int(a);
  F result = select_float(less(I(kGreatest), bits), a + a, found);
  result = as_float(select(bits >> 31, I(kNanBits), as_int(result)));
  return as_float(select(equal(bits & kInfinityBits, I(0)), I(kInfinityBits | kSignBit), as_int(result)));
}

constexpr std::int32_t kRootOfHalfBits = 0x3f3504f3;

/// log(a), within 1 unit in the last place.
template <class F>
F logarithm(const F& a) {
  using I = typename F::Int;
  const I bits = as_int(a);
  const I exponent = (bits - kRootOfHalfBits) >> kFractionBits;
  const F x = as_float(bits - (exponent << kFractionBits)) - 1.0F;
  return logarithm_if(a, logarithm_of_parts(to_float(exponent), x));
}

/// log(1 + a), within 3 units in the last place: near 0, 1 + a would lose what the logarithm shows.
template <class F>
F log1p(const F& a) {
  using I = typename F::Int;
  const F sum = a + 1.0F;
  const I bits = as_int(sum);
  const I exponent = (bits - kRootOfHalfBits) >> kFractionBits;
  const F x = select_float(equal(exponent, I(0)), a, as_float(bits - (exponent << kFractionBits)) - 1.0F);
  return logarithm_if(sum, logarithm_of_parts(to_float(exponent), x));
}

}  // namespace systole::golden::functions
