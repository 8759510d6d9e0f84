// SPDX-License-Identifier: Apache-2.0
// The error function of binary32, and GELU.
#pragma once

#include "functions/exponential.hpp"

namespace systole::golden::functions {

/// erf(a), within 2 units in the last place: of small a a polynomial, of others 1 - exp(polynomial).
template <class F>
F error_function(const F& a) {
  constexpr float kSmall = 0.927734375F;
  const F x = absolute(a), square = x * x;
  const F small = polynomial(square, {-5.96761703e-4F, 4.99119423e-3F, -2.67681349e-2F, 1.12819925e-1F, -3.76125336e-1F,
                                      1.28379166e-1F}) *
                      a +
                  a;
  F exponent = (x * -1.72853470e-5F + 3.83197126e-4F) * square + (x * -3.88396438e-3F + 2.42546219e-2F);
  for (const float coefficient : {-1.06777877e-1F, -6.34846687e-1F, -1.28717512e-1F}) {
    exponent = exponent * x + coefficient;
  }
  const F large = exponential_less_one(exponent * x - x);
  const auto sign = as_int(a) & kSignBit;
  return select_float(less(F(kSmall), x), as_float(as_int(absolute(large)) | sign), small);
}

/// a / 2 (1 + erf(a / sqrt(2))), within 2^-22 of the greater of 1 and its magnitude.
template <class F>
F gelu(const F& a) {
  constexpr float kRootOfHalf = 0.70710678118654752F;
  return (error_function(a * kRootOfHalf) * 0.5F + 0.5F) * a;
}

}  // namespace systole::golden::functions
