// SPDX-License-Identifier: Apache-2.0
// Sums of binary32 in which what the additions lose is summed, too.
#pragma once

#include "functions/words.hpp"

namespace systole::golden::functions {

template <class F>
struct SumSoFar {
  F total, lost;
};

/// With one more number.
template <class F>
SumSoFar<F> with_next(const SumSoFar<F>& sum, const F& a) {
  const F next = sum.total + a, part = next - sum.total;
  return {next, sum.lost + ((sum.total - (next - part)) + (a - part))};
}

/// What was lost is added at the end. An infinite sum, and none, has lost nothing.
template <class F>
F result_of(const SumSoFar<F>& sum) {
  using I = typename F::Int;
  return select_float(less(as_int(sum.total) & kInfinityBits, I(kInfinityBits)), sum.lost + sum.total, sum.total);
}

}  // namespace systole::golden::functions
