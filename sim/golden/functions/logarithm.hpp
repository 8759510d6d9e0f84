// SPDX-License-Identifier: Apache-2.0
// The natural logarithm of binary32, by the method of Cephes: of a power of two, and of what is left, between sqrt(1/2)
// and sqrt(2), by a polynomial.
#pragma once

#include "functions/exponential.hpp"

namespace systole::golden::functions {

/// log(a), within 1 unit in the last place.
template <class F>
F logarithm(const F& a) {
  using I = typename F::Int;
  constexpr std::int32_t kRootOfHalf = 0x3f3504f3, kGreatest = 0x7f7fffff;
  const I bits = as_int(a);
  const I exponent = (bits - kRootOfHalf) >> kFractionBits;
  const F x = as_float(bits - (exponent << kFractionBits)) - 1.0F;
  const F steps = to_float(exponent), square = x * x;
  F sum = polynomial(x, {7.0376836292e-2F, -1.1514610310e-1F, 1.1676998740e-1F, -1.2420140846e-1F, 1.4249322787e-1F,
                         -1.6668057665e-1F, 2.0000714765e-1F, -2.4999993993e-1F, 3.3333331174e-1F}) *
          x * square;
  sum = sum + steps * kLog2Low - square * 0.5F + x + steps * kLog2High;
  // Infinity and NaN are what they are; negative numbers have no logarithm; that of 0 is infinite.
  sum = select_float(less(I(kGreatest), bits), a + a, sum);
  sum = as_float(select(bits >> 31, I(kNanBits), as_int(sum)));
  return as_float(select(equal(bits & kInfinityBits, I(0)), I(kInfinityBits | kSignBit), as_int(sum)));
}

}  // namespace systole::golden::functions
