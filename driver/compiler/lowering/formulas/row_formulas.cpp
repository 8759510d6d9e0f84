// SPDX-License-Identifier: Apache-2.0
#include "row_formulas.hpp"

#include <bit>
#include <utility>
#include <vector>

#include "fold_formulas.hpp"
#include "functions/exponential.hpp"
#include "functions/near.hpp"
#include "integer_formulas.hpp"

namespace systole::network {
namespace {

namespace functions = golden::functions;

using compiler::Combine;
using compiler::ExpressionPtr;
using compiler::RowFunction;
using F = compiler::FloatWord;
using I = compiler::IntWord;
using kernel::Format;
using kernel::Op;

constexpr RowFunction::Operand kBytes{Format::kI8}, kWide{Format::kI16}, kWords{Format::kI32};
constexpr RowFunction::Operand kMaybeRepeated{Format::kI32, true}, kNumber{Format::kI32, false, false, true};
constexpr RowFunction::Operand kOfChannels{Format::kAcc, false, true};

F of_row(RowFunction& row, const F& value) { return F(row.value(value.word)); }
I of_row(RowFunction& row, const I& value) { return I(row.value(value.word)); }

F sum_of(RowFunction& row, const F& element) { return F(row.fold(Combine::kFloatSum, element.word)); }
I sum_of(RowFunction& row, const I& element) { return I(row.fold(Combine::kSum, element.word)); }
I greatest_of(RowFunction& row, const I& element) { return I(row.fold(Combine::kMax, element.word)); }

F mean_of(RowFunction& row, const F& element) {
  return sum_of(row, element) * (1.0F / static_cast<float>(row.elements()));
}

compiler::KernelCall call_of(RowFunction row, const ExpressionPtr& result) {
  row.set_result(result);
  return compiler::row_call(std::move(row));
}
compiler::KernelCall call_of_row(RowFunction row, const ExpressionPtr& result) {
  row.set_result_of_row(result);
  return compiler::row_call(std::move(row));
}

}  // namespace

compiler::KernelCall softmax_rows(std::int64_t elements, Summands summands, float factor) {
  std::vector<RowFunction::Operand> operands = {kWords};
  if (summands != Summands::kNone) {
    operands.push_back(kMaybeRepeated);
  }
  if (summands == Summands::kRowsLast) {
    operands.push_back(kNumber);
  }
  RowFunction row("softmax_rows", elements, operands, Format::kI32);
  F x = real(0);
  RowFunction::Element element{nullptr};
  if (summands != Summands::kNone) {
    x = x + real(1);
  }
  element.value = x.word;
  if (summands == Summands::kRowsLast) {
    const I lane(compiler::operation(Op::kAddLane, compiler::constant(0)));
    const F number = factor == 1 ? real(2) : real(2) * factor;
    element.in_last = (x + as_float(of_row(row, as_int(number) & equal(lane, I(RowFunction::last_lane()))))).word;
  }
  const F summed(row.keep_in_registers(element));
  const F most(row.fold(Combine::kFloatMax, summed.word));
  const F power(row.keep({functions::near_exponential(summed - most).word}));
  const F share = of_row(row, functions::near_reciprocal(sum_of(row, power)));
  return call_of(std::move(row), (power * share).word);
}

compiler::KernelCall mean_rows(std::int64_t elements, bool has_factor) {
  RowFunction row("mean_rows", elements, has_factor ? std::vector{kWords, kMaybeRepeated} : std::vector{kWords},
                  Format::kI32);
  const F mean = mean_of(row, has_factor ? real(0) * real(1) : real(0));
  return call_of_row(std::move(row), mean.word);
}

namespace {

F root_of_squares(RowFunction& row, const F& x, float epsilon) {
  return of_row(row, functions::near_reciprocal_root(mean_of(row, x * x) + epsilon));
}

}  // namespace

compiler::KernelCall normalize_rows(std::int64_t elements, float epsilon) {
  RowFunction row("normalize_rows", elements, {kWords, kMaybeRepeated}, Format::kI32);
  const F x(row.keep_in_registers({real(0).word}));
  const F root = root_of_squares(row, x, epsilon);
  // Planes wait for the one before to be stored only where there are no registers for all.
  return call_of(std::move(row), row.keep_in_registers({(x * root * real(1)).word}));
}

compiler::KernelCall product_of_rows(std::int64_t elements) {
  return call_of(RowFunction("product_of_rows", elements, {kWords, kMaybeRepeated}, Format::kI32),
                 (real(0) * real(1)).word);
}

compiler::KernelCall rows_by_numbers(std::int64_t elements) {
  RowFunction row("rows_by_numbers", elements, {kWords, kNumber}, Format::kI32);
  const F number = of_row(row, real(1));
  return call_of(std::move(row), (real(0) * number).word);
}

compiler::KernelCall root_rows(std::int64_t elements, float epsilon) {
  RowFunction row("root_rows", elements, {kWords}, Format::kI32);
  const F root = root_of_squares(row, real(0), epsilon);
  return call_of_row(std::move(row), root.word);
}

namespace {

F step_of(RowFunction& row, const F& x, float least, float factor) {
  const F most(row.fold(Combine::kFloatMax, functions::absolute(x).word));
  return maximum(most, F(least)) * factor;
}

}  // namespace

compiler::KernelCall step_rows(std::int64_t elements, float least, float factor) {
  RowFunction row("step_rows", elements, {kWords}, Format::kI32);
  const F step = of_row(row, step_of(row, real(0), least, factor));
  return call_of_row(std::move(row), step.word);
}

compiler::KernelCall int8_rows(std::int64_t elements, float least, float factor) {
  RowFunction row("int8_rows", elements, {kWords}, Format::kI8);
  const F x(row.keep_in_registers({real(0).word}));
  const F inverse = of_row(row, functions::near_quotient(F(1.0F), step_of(row, x, least, factor)));
  return call_of(std::move(row), to_int(x * inverse).word);
}

compiler::KernelCall strict_softmax_rows(std::int64_t elements) {
  RowFunction row("softmax_rows", elements, {kWords}, Format::kI32,
                  golden::binary32::sums_of_strict_softmax(static_cast<std::size_t>(elements)));
  const F x(row.keep_in_registers({real(0).word}));
  const F most(row.fold(Combine::kFloatMax, x.word));
  const F power(row.keep({functions::exponential(x - most).word}));
  const F share = of_row(row, divide(F(1.0F), sum_of(row, power)));
  return call_of(std::move(row), (power * share).word);
}

namespace {

/// A power of two and its inverse, from an exponent field.
struct Powers {
  F up, down;
};
Powers powers_of(RowFunction& row, const I& field) {
  constexpr int kLargestExponent = 253;
  const I up = of_row(row, minimum(field, kLargestExponent));
  return {as_float(of_row(row, up << functions::kFractionBits)),
          as_float(of_row(row, (254 - up) << functions::kFractionBits))};
}

/// Returns NaN if the greatest magnitude is not finite, else 0.
F nan_unless_finite(const F& greatest) { return greatest - greatest; }

/// `steps` of Newton's method for 1 / sqrt(x).
F reciprocal_root(const F& x, int steps) {
  F root = as_float(I(0x5f3759df) - shift_logical(as_int(x), 1));
  const F half = x * 0.5F;
  for (int step = 0; step < steps; ++step) {
    root = root * (F(1.5F) - root * root * half);
  }
  return root;
}

}  // namespace

compiler::KernelCall layer_norm32_rows(std::int64_t elements, int bits, float epsilon) {
  const int top = 253 + bits;
  const F share = 1.0F / static_cast<float>(elements);
  const F fine = as_float(I((127 + bits) << functions::kFractionBits));
  const F coarse = as_float(I((127 - bits) << functions::kFractionBits));
  RowFunction row("layer_norm32_rows", elements, {kWords, kOfChannels, kOfChannels}, Format::kI32);
  const auto magnitude = [](const F& x) { return as_int(x) & functions::kMagnitude; };
  const F x = real(0);
  const I greatest = greatest_of(row, magnitude(x));
  const Powers of_sum = powers_of(row, top - (greatest >> functions::kFractionBits));
  const I sum = sum_of(row, to_int(x * of_sum.up));
  const F mean = of_row(row, to_float(sum) * of_sum.down * share + nan_unless_finite(as_float(greatest)));
  const I farthest = greatest_of(row, magnitude(x - mean));
  const Powers of_squares = powers_of(row, 253 + bits / 2 - (farthest >> functions::kFractionBits));
  const F scaled = (x - mean) * of_squares.up, square = scaled * scaled;
  const I whole = to_int(square), rest = to_int((square - to_float(whole)) * fine);
  const auto sums = row.fold({{Combine::kSum, {whole.word}}, {Combine::kSum, {rest.word}}});
  const F total = to_float(I(sums[0])) + to_float(I(sums[1])) * coarse;
  const F variance = total * of_squares.down * of_squares.down * share + nan_unless_finite(as_float(farthest));
  const F root = of_row(row, reciprocal_root(variance + F(epsilon), 3));
  return call_of(std::move(row), ((x - mean) * root * real(1) + real(2)).word);
}

namespace {

/// 1 / x for x from 1/2 to 1, with 31 fraction bits, half of it: three steps of Newton's method from 48/17 - 32/17 x.
I half_of_reciprocal(const I& x) {
  constexpr int kOne = 0x20000000, kSlope = -1010580540, kFirst = 1515870810;  // with 29 fraction bits
  I inverse = multiply_high(x, kSlope) + kFirst;
  for (int step = 0; step < 3; ++step) {
    inverse = inverse + shift_saturate(multiply_high(inverse, I(kOne) - multiply_high(x, inverse)), 2);
  }
  return shift_saturate(inverse, 1);
}

constexpr int kHalf = 0x40000000;  // with 31 fraction bits

}  // namespace

compiler::KernelCall softmax_bytes(std::int64_t elements, Format result) {
  constexpr std::int64_t kMostShort = 511;  // exponentials of at most 1, with a sum below 512
  constexpr int kIntegerBits = 12;          // of the sum
  const bool bytes = result == Format::kI8;
  RowFunction row(bytes ? "softmax" : "softmax8_16", elements, {kBytes}, result);
  const I greatest = greatest_of(row, integer(0));
  const I power = table(integer(0) - greatest);
  const I total = sum_of(row, shift_round(power, kIntegerBits));
  const I zeros = count_zeros(total);
  I inverse = half_of_reciprocal((((total << zeros) - functions::kSignBit) >> 1) + kHalf);
  if (bytes && elements > kMostShort) {  // shares of less than 1/512 are none
    inverse = inverse & less(I(3), zeros);
  }
  inverse = of_row(row, inverse);
  const I shift = of_row(row, I(bytes ? 35 : 27) - zeros);
  return call_of(std::move(row), (shift_round(multiply_high(inverse, power), shift) + (bytes ? -128 : -32768)).word);
}

compiler::KernelCall log_softmax_bytes(std::int64_t elements, const QuantParam& to_fixed, const QuantParam& from_fixed,
                                       int least) {
  RowFunction row("log_softmax", elements, {kBytes}, Format::kI8);
  const I greatest = greatest_of(row, integer(0));
  const I difference = integer(0) - greatest;
  const I total = sum_of(row, table(difference));

  // A power of two, `power`, and a rest between 2^-1/2 and 2^1/2 or so.
  constexpr int kRootOfHalf = 1518500250, kQuarter = 0x800000, kFraction = 25;  // 2^-1/2 with 31 fraction bits; 1/4
  const I zeros = count_zeros(total);
  const I low = shift_saturate(multiply_high(shift_saturate(total, zeros - 1), kRootOfHalf), 1);
  const I more = count_zeros(multiply_high(total, kRootOfHalf)) - 1;
  const I rest = minimum(low, shift_saturate(total, more));
  const I power =
      of_row(row, maximum(((I(12) - zeros) << kFraction) + kQuarter, ((I(12) - more) << kFraction) - kQuarter));

  // Its logarithm as a quotient.
  constexpr int kCenter = 1805811301;  // 2^-1/4
  const I half = shift_logical(rest + kCenter + 1, 1);
  const I q = of_row(row, (rest - kCenter) + (rest - kCenter));
  const I square = multiply_high(q, q);
  const I numerator = multiply_high(multiply_high(q, square), 117049297) + multiply_high(q, rest);  // 11/240 2^1/4
  const I sum = multiply_high(square, 127690142) + q + 1057819769;               // 1/20 2^1/4, 2 / 2^1/4 - 2^1/4
  const I denominator = multiply_high(half, sum) + multiply_high(q, 638450708);  // 1/4 2^1/4
  const I inverse = half_of_reciprocal((denominator >> 1) + kHalf);
  constexpr int kLogOfTwo = 1488522236;
  const I quotient = multiply_high(shift_round(numerator, 6), inverse);
  const I log = of_row(row, shift_saturate(multiply_high(power, kLogOfTwo) + quotient, 1));
  const I last = of_row(
      row,
      maximum(shift_round(multiply_high(log + functions::kSignBit, from_fixed.multiplier), -from_fixed.shift), least));

  const I in_range = less(last, difference) ^ -128;  // 127 for a difference in range, else -128
  const I fixed = multiply_high(shift_saturate(difference, to_fixed.shift), to_fixed.multiplier);
  return call_of(std::move(row), minimum(shift_round(fixed - log, 22) + 127, in_range).word);
}

compiler::KernelCall l2_normalize_bytes(std::int64_t elements, int zero_point) {
  constexpr int kOne = 0x10000000, kThreeHalves = 0x18000000;  // with 28 fraction bits
  constexpr int kRootOfHalf = 1518500250;                      // with 31
  RowFunction row("l2_normalize", elements, {kBytes}, Format::kI8);
  const I x = integer(0) - zero_point;
  const I total = maximum(sum_of(row, x * x), 1);
  // Half of the sum times a power of 4, and five steps of Newton's method for its inverse root.
  const I pairs = (count_zeros(total) - 1) >> 1;
  const I scaled = shift_round((total << (pairs + pairs)) >> 3, 1);
  I root = kOne;
  for (int step = 0; step < 5; ++step) {
    const I cube = shift_saturate(multiply_high(multiply_high(root, root), root), 6);
    root = shift_saturate(multiply_high(root, kThreeHalves) - multiply_high(cube, scaled), 3);
  }
  // As a multiplier and a shift, to the left if `right` is negative.
  const I right = I(12) - pairs;
  root = of_row(row, shift_saturate(multiply_high(root, kRootOfHalf), I(0) - right));
  const I shift = of_row(row, maximum(right, 0));
  return call_of(std::move(row), shift_round(multiply_high(x << (I(7) - shift), root), shift - 7).word);
}

compiler::KernelCall layer_norm_bytes(std::int64_t elements, bool exact_variance, float epsilon) {
  RowFunction row("layer_norm", elements, {kBytes, kOfChannels, kOfChannels}, Format::kI8);
  const I x = integer(0), count(static_cast<std::int32_t>(elements));
  const F share = 1.0F / static_cast<float>(elements);
  F mean(0.0F), variance(0.0F);
  if (exact_variance) {  // multiplied by the square of the count
    const auto sums = row.fold({{Combine::kSum, {x.word}}, {Combine::kSum, {(x * x).word}}});
    const I sum(sums[0]), squares(sums[1]);
    mean = of_row(row, to_float(sum) * share);
    variance = to_float(squares * count - sum * sum);
  } else {  // differences from the integer next to the mean are small: their squares are summed exactly
    const I sum = sum_of(row, x);
    mean = of_row(row, to_float(sum) * share);
    const I center = of_row(row, to_int(mean));
    const I difference = x - center;
    const I squares = sum_of(row, difference * difference);
    const F of_differences = to_float(sum - center * count) * share;
    variance = maximum(to_float(squares) * share - of_differences * of_differences, F(0.0F));
  }
  const F root = of_row(row, reciprocal_root(variance + given_real("epsilon"), 2));
  compiler::KernelCall call = call_of(std::move(row), to_int((to_float(x) - mean) * root * real(1) + real(2)).word);
  call.values = {{"epsilon", std::bit_cast<std::uint32_t>(epsilon)}};
  return call;
}

namespace {

/// A function at a number of 16 bits, from the lines of the table.
I interpolated(const I& x) {
  const I line = table(x >> 8), place = x & 255;
  const I slope = ((line << 6) >> 21) * place, bend = maximum(place - 128, 0) * (line >> 26);
  return (line & 32767) + ((bend + slope + 64) >> 7);
}

}  // namespace

compiler::KernelCall exponentials16(std::int64_t elements, const QuantParam& to_steps) {
  RowFunction row("exponentials16", elements, {kWide}, Format::kI16);
  const I greatest = greatest_of(row, integer(0));
  const I steps = rescaled(integer(0) - greatest, "multiplier", to_steps) + 32767;
  compiler::KernelCall call = call_of(std::move(row), interpolated(maximum(steps, -32768)).word);
  call.values = {{"multiplier", to_steps.multiplier}};
  return call;
}

compiler::KernelCall shares16(std::int64_t elements) {
  constexpr int kFirst = 0x18000;  // 1 with 16 fraction bits, and the middle of the table
  RowFunction row("shares16", elements, {kWide}, Format::kI16);
  const I total = sum_of(row, integer(0));
  // Its fraction behind the leading one, in the table.
  const I zeros = count_zeros(total) - 1;
  const I fraction = minimum(shift_logical((total << zeros) + 8192, 14) - kFirst, 32767);
  const I inverse = of_row(row, interpolated(fraction));
  const I right = of_row(row, I(30) - zeros);
  const I half = of_row(row, I(1) << (right - 1));
  return call_of(std::move(row), ((inverse * integer(0) + half) >> right).word);
}

namespace {

/// The channels combined as the values of a fold are.
compiler::KernelCall channels_of(std::int64_t elements, graph::ReduceKind kind, const compiler::FoldFunction& fold,
                                 const RowFunction::Operand& operand) {
  const Combine combine = kind == graph::ReduceKind::kMax   ? Combine::kMax
                          : kind == graph::ReduceKind::kMin ? Combine::kMin
                                                            : Combine::kSum;
  RowFunction row(fold.name, elements, {operand}, fold.result);
  const ExpressionPtr value = row.fold(combine, row.element(0));
  const ExpressionPtr all = combine == Combine::kSum ? compiler::operation(Op::kIadd, value, fold.first[0]) : value;
  return call_of_row(std::move(row), compiler::with_operand(fold.last, 0, all));
}

}  // namespace

compiler::KernelCall byte_channels(std::int64_t elements, graph::ReduceKind kind, int shift) {
  return channels_of(elements, kind, byte_fold(kind, shift), kBytes);
}

compiler::KernelCall wide_channels(std::int64_t elements, graph::ReduceKind kind, int left, int right) {
  return channels_of(elements, kind, wide_fold(kind, left, right), kWide);
}

}  // namespace systole::network
