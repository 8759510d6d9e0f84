// SPDX-License-Identifier: Apache-2.0
// Local response normalization, x / base^beta, where the base is a sum of squares. The powers of networks are quarters,
// which need no logarithm.
#pragma once

#include <vector>

#include "functions/power.hpp"

namespace systole::golden::functions {

/// Four times the power, if that is 1, 2, 3 or 4, else 0.
inline int quarters_of(float beta) {
  constexpr int kMostQuarters = 4;
  for (int quarters = 1; quarters <= kMostQuarters; ++quarters) {
    if (beta * 4 == static_cast<float>(quarters)) {
      return quarters;
    }
  }
  return 0;
}

/// What the root's first estimate, by half of half of the bits, leaves: a times its fourth power is within an eighth of
/// 1, for all a from 2^-120 on.
template <class F>
struct FourthRoot {
  F estimate, product;
};
template <class F>
FourthRoot<F> fourth_root(const F& a) {
  using I = typename F::Int;
  constexpr std::int32_t kFirst = 0x4f58188f;
  const F estimate = as_float(I(kFirst) - shift_logical(as_int(a), I(2)));
  const F square = estimate * estimate;
  return {estimate, a * square * square};
}

/// 1 / the fourth root of a within 2 units in the last place, of numbers from 2^-120 on.
template <class F>
F inverse_fourth_root(const F& a) {
  const FourthRoot<F> first = fourth_root(a);
  return first.estimate * polynomial(first.product - F(1.0F), {-8.26482162e-2F, 9.68586772e-2F, -1.17174345e-1F,
                                                               1.56240552e-1F, -2.50000025e-1F, 1.0F});
}

/// x * root^quarters.
template <class F>
F times_power(const F& x, const F& root, int quarters) {
  constexpr int kThree = 3;
  if (quarters == 1) {
    return x * root;
  }
  const F square = root * root;
  return quarters == 2 ? x * square : quarters == kThree ? (x * root) * square : (x * square) * square;
}

template <class F>
F sum_of(const std::vector<F>& summands) {
  F sum = summands.front();
  for (std::size_t i = 1; i < summands.size(); ++i) {
    sum = sum + summands[i];
  }
  return sum;
}

/// x / (bias + factor * the sum of the squares)^beta. With a bias of 2^-100 or more, a power of quarters is within
/// 2^-20 of it.
template <class F>
F local_response(const F& x, const std::vector<F>& squares, float factor, float bias, float beta) {
  using I = typename F::Int;
  constexpr float kLeastBias = 0x1p-100F;
  const F base = sum_of(squares) * F(factor) + F(bias);
  const int quarters = factor >= 0 && bias >= kLeastBias ? quarters_of(beta) : 0;
  if (quarters == 0) {
    return divide(x, power(base, F(beta)));
  }
  const I finite = equal(as_int(base), I(kInfinityBits)) ^ -1;  // or NaN
  return times_power(x, as_float(as_int(inverse_fourth_root(base)) & finite), quarters);
}

/// The same of int8. A number is in steps of its scale, and `bases` of the neighbours add up to the base.
struct ByteResponse {
  int zero_point = 0, result_zero_point = 0;
  int quarters = 0;       ///< of the power, if it is computed by them
  float beta = 0;         ///< if not
  float ratio = 1;        ///< the scale of numbers over that of results, if the power is not computed by quarters
  float quartic[5] = {};  ///< for the inverse fourth root, times the ratio's own; the highest coefficient first
};

/// The result before it is limited to 8 bits. With quarters the root is within 2^-20.
template <class F>
typename F::Int byte_response(const typename F::Int& number, const std::vector<F>& bases, const ByteResponse& of) {
  const F x = to_float(number - of.zero_point), base = sum_of(bases);
  if (of.quarters == 0) {
    return to_int(divide(x * F(of.ratio), power(base, F(of.beta)))) + of.result_zero_point;
  }
  const FourthRoot<F> first = fourth_root(base);
  const F root = first.estimate * polynomial(first.product, of.quartic);
  return to_int(times_power(x, root, of.quarters)) + of.result_zero_point;
}

}  // namespace systole::golden::functions
