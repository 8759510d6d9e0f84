// SPDX-License-Identifier: Apache-2.0
// Functions of binary32 that are short on the vector processor, for networks in block floating point.
#pragma once

#include "functions/words.hpp"

namespace systole::golden::functions {

constexpr int kNewtonSteps = 3;

/// 1 / a by three steps of Newton's method, within 2 units in the last place, of numbers between 2^-120 and 2^120.
template <class F>
F near_reciprocal(const F& a) {
  constexpr std::int32_t kFirst = 0x7ef311c7;  // the first estimate is this less the bits
  F inverse = as_float(typename F::Int(kFirst) - as_int(a));
  for (int step = 0; step < kNewtonSteps; ++step) {
    inverse = inverse * (F(2.0F) - a * inverse);
  }
  return inverse;
}

/// 1 / sqrt(a) by steps of Newton's method, of numbers from 2^-120 on: three are within 2.2 units in the last place,
/// two within 5e-6 of it.
template <class F>
F near_reciprocal_root(const F& a, int steps = kNewtonSteps) {
  using I = typename F::Int;
  constexpr std::int32_t kFirst = 0x5f3759df;  // the first estimate is this less half the bits
  F inverse = as_float(I(kFirst) - shift_logical(as_int(a), I(1)));
  const F half = a * 0.5F;
  for (int step = 0; step < steps; ++step) {
    inverse = inverse * (F(1.5F) - inverse * (inverse * half));  // in this order 0 has no infinity
  }
  return inverse;
}

/// sqrt(a) within 5e-6 of it, of numbers from 2^-120 to 2^120; below, and at 0, it is at most 2^-60.
template <class F>
F near_root(const F& a) {
  constexpr int kSteps = 2;
  return a * near_reciprocal_root(a, kSteps);
}

/// a / b within 3 units in the last place, for b between 2^-120 and 2^120.
template <class F>
F near_quotient(const F& a, const F& b) {
  return a * near_reciprocal(b);
}

/// exp(a) within 2^-17 of it, of numbers up to 88: two to the power of an integer, times a polynomial of what is left
/// of a / log(2), the minimax one of degree 4 that is 1 at 0. Below 2^-126 the result is 0 or subnormal, which counts
/// as 0.
template <class F>
F near_exponential(const F& a) {
  constexpr float kLeast = -87.5F, kLog2Inverse = 1.44269504088896341F;
  const F steps = maximum(a, F(kLeast)) * kLog2Inverse;
  const auto whole = to_int(steps);
  const F rest = steps - to_float(whole);
  const F power = polynomial(rest, {9.58285294e-3F, 5.59064262e-2F, 2.40240991e-1F, 6.93124175e-1F, 1.0F});
  return as_float(as_int(power) + (whole << kFractionBits));
}

/// 1 / (1 + near_exponential(-a)) with near_reciprocal(), and the exponential of 80 at most.
template <class F>
F near_sigmoid(const F& a) {
  constexpr float kMost = 80;
  return near_reciprocal(near_exponential(minimum(negative(a), F(kMost))) + 1.0F);
}

}  // namespace systole::golden::functions
