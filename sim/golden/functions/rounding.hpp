// SPDX-License-Identifier: Apache-2.0
// Integers next to binary32, in steps that the vector processor has.
#pragma once

#include "functions/words.hpp"

namespace systole::golden::functions {

/// The whole number, with the sign of a; a itself from 2^23 on, where all are integers, and if it is a NaN.
template <class F>
F whole_or_itself(const F& whole, const F& a) {
  using I = typename F::Int;
  constexpr std::int32_t kAllWhole = 0x4b000000;  // 2^23
  return select_float(less(as_int(a) & kMagnitude, I(kAllWhole)), as_float(as_int(whole) | (as_int(a) & kSignBit)), a);
}

/// Ties to even.
template <class F>
F nearest(const F& a) {
  const F x = a * 1.0F;  // one NaN, and no subnormals
  return whole_or_itself(to_float(to_int(x)), x);
}

/// The next one below, where a is the result of an operation.
template <class F>
F below(const F& a) {
  const F near = to_float(to_int(a));
  return whole_or_itself(near + to_float(less(a, near)), a);
}

template <class F>
F next_below(const F& a) {
  return below(a * 1.0F);
}

template <class F>
F next_above(const F& a) {
  return below(a * -1.0F) * -1.0F;
}

/// int32: towards 0, saturated; 0 for a NaN.
template <class F>
typename F::Int truncated(const F& a) {
  const auto whole = to_int(a);
  const F near = to_float(whole);
  const auto up = less(F(0.0F), a) & less(a, near), down = less(a, F(0.0F)) & less(near, a);
  return whole + up - down;
}

}  // namespace systole::golden::functions
