// SPDX-License-Identifier: Apache-2.0
#include "fold_formulas.hpp"

#include <limits>

#include "functions/sums.hpp"
#include "integer_formulas.hpp"

namespace systole::network {
namespace {

namespace functions = golden::functions;

using compiler::FoldFunction;
using F = compiler::FloatWord;
using I = compiler::IntWord;
using graph::ReduceKind;
using kernel::Format;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A fold with one value, whose result it is.
template <class Word, class Combine>
FoldFunction of_one(const char* name, const Word& first, const Combine& combine) {
  const Word element(compiler::operand(0)), value(compiler::operand(1));
  return {name, Format::kI32, Format::kI32, {first.word}, {combine(value, element).word}, compiler::operand(0)};
}

FoldFunction of_format(FoldFunction fold, Format format, const I& last) {
  fold.operand = fold.result = format;
  fold.last = last.word;
  return fold;
}

/// Greatest, least, or the sum from a first value on.
FoldFunction integer_fold(ReduceKind kind, const I& sum, int least, int greatest) {
  switch (kind) {
    case ReduceKind::kMax: return of_one("max_rows", I(least), [](const I& a, const I& b) { return maximum(a, b); });
    case ReduceKind::kMin: return of_one("min_rows", I(greatest), [](const I& a, const I& b) { return minimum(a, b); });
    default: return of_one("sum_rows", sum, [](const I& a, const I& b) { return a + b; });
  }
}

bool is_extreme(ReduceKind kind) { return kind == ReduceKind::kMax || kind == ReduceKind::kMin; }

}  // namespace

FoldFunction float_fold(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::kMax:
      return of_one("max_rows", F(-kInfinity), [](const F& a, const F& b) { return maximum(a, b); });
    case ReduceKind::kMin:
      return of_one("min_rows", F(kInfinity), [](const F& a, const F& b) { return minimum(a, b); });
    case ReduceKind::kProduct: return of_one("product_rows", F(1.0F), [](const F& a, const F& b) { return a * b; });
    default: break;
  }
  const functions::SumSoFar<F> before{real(1), real(2)}, after{real(0), real(1)};
  const functions::SumSoFar<F> next = with_next(before, real(0));
  const F zero(0.0F);
  return {"sum_rows",           Format::kI32, Format::kI32, {zero.word, zero.word}, {next.total.word, next.lost.word},
          result_of(after).word};
}

FoldFunction byte_fold(ReduceKind kind, int shift) {
  const FoldFunction fold = integer_fold(kind, given("offset"), -128, 127);
  // Limited, so that the zero point does not carry it around the end.
  const I scaled = minimum(maximum(rescaled(integer(0), "multiplier", QuantParam{0, shift}), -512), 511);
  return of_format(fold, Format::kI8, is_extreme(kind) ? integer(0) : scaled + given("zero_point"));
}

FoldFunction wide_fold(ReduceKind kind, int left, int right) {
  const FoldFunction fold =
      integer_fold(kind, I(0), std::numeric_limits<std::int16_t>::min(), std::numeric_limits<std::int16_t>::max());
  const I value = is_extreme(kind) ? integer(0) : rescaled(integer(0), "multiplier", left, right);
  return of_format(fold, Format::kI16, minimum(maximum(value, given("least")), given("greatest")));
}

}  // namespace systole::network
