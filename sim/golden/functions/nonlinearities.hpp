// SPDX-License-Identifier: Apache-2.0
// Functions of binary32 that networks have between their products.
#pragma once

#include "functions/exponential.hpp"
#include "functions/logarithm.hpp"

namespace systole::golden::functions {

/// min(max(a * factor + offset, low), high), each step rounded.
template <class F>
F linear(const F& a, const F& factor, const F& offset, const F& low, const F& high) {
  return minimum(maximum(a * factor + offset, low), high);
}

/// -1, 0 or 1; NaN for a NaN.
template <class F>
F sign(const F& a) {
  constexpr float kFactor = 0x1p127F;  // times which the least number is 2
  return linear(a, F(kFactor), F(0.0F), F(-1.0F), F(1.0F));
}

template <class F>
F leaky_relu(const F& a, const F& slope) {
  return select_float(less(F(0.0F), a), a, a * slope);
}

/// 1 / (whole + t), where `whole` is 1 or 2 and the sum from 1 to 2, by three steps of Newton's method from the best
/// line. The last step takes the sum's terms one by one: what the sum has lost is not lost.
template <class F>
F reciprocal_of_sum(float whole, const F& t) {
  const F sum = t + whole;
  F inverse = F(1.45710678F) - sum * 0.5F;
  for (int step = 0; step < 2; ++step) {
    inverse = inverse * (F(2.0F) - sum * inverse);
  }
  const F rest = F(1.0F) - (whole == 1 ? inverse : inverse * whole);
  return inverse + inverse * (rest - t * inverse);
}

/// 1 / (1 + exp(-a)), within 3 units in the last place.
template <class F>
F sigmoid(const F& a) {
  const F t = exponential_below_zero(a), above = reciprocal_of_sum(1, t);
  return select_float(less(a, F(0.0F)), t * above, above);
}

/// Within 3 units in the last place.
template <class F>
F tanh(const F& a) {
  constexpr std::int32_t kOneBits = 0x3f800000;
  const F t = exponential_less_one(absolute(a) * -2.0F);
  const F magnitude = absolute(t * reciprocal_of_sum(2, t));
  return magnitude * F(as_float((as_int(a) & kSignBit) | kOneBits));
}

/// Within 2^-22 of the greater of 1 and itself.
template <class F>
F softplus(const F& a) {
  return maximum(a, F(0.0F)) + logarithm(exponential_below_zero(a) + 1.0F);
}

template <class F>
F elu(const F& a, const F& alpha) {
  return maximum(a, F(0.0F)) + exponential_less_one(a) * alpha;
}

}  // namespace systole::golden::functions
