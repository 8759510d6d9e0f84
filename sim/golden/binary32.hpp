// SPDX-License-Identifier: Apache-2.0
// Arithmetic on binary32 as the vector processor has it, and functions made of it. Results are those of IEEE 754,
// rounded to nearest even, but subnormal operands count as zeros of their sign, results whose magnitude, rounded with
// an unbounded exponent, is below 2^-126 are zeros of their sign, and there is one NaN, 0x7fc00000.
#pragma once

#include <cstdint>

namespace systole::golden::binary32 {

float add(float a, float b);
float subtract(float a, float b);
float multiply(float a, float b);
/// Correctly rounded.
float divide(float a, float b);
float square_root(float a);
/// -0 is below 0; NaN where one is a NaN.
float minimum(float a, float b);
float maximum(float a, float b);
bool less(float a, float b);
bool less_or_equal(float a, float b);
bool equal(float a, float b);

/// Bits are changed, numbers are not: also of subnormals and of every NaN.
float negative(float a);

/// The integer next to it, ties to even, saturated; 0 for a NaN.
std::int32_t to_int(float a);

float floor(float a);
float ceil(float a);
/// Ties to even.
float round(float a);

/// Within 1 unit in the last place.
float exponential(float a);
/// exp(min(a, 0)) - 1, within 1 unit in the last place.
float exponential_less_one(float a);
/// Within 1 unit in the last place.
float logarithm(float a);

/// The sum of numbers one after another, and of what these additions lose, added at the end: within 2^-23 of the sum of
/// the magnitudes.
class Sum {
 public:
  void add(float a);
  float result() const;

 private:
  float total_ = 0, lost_ = 0;
};

/// Many numbers are folded - summed, multiplied, ... - in steps: groups of neighbours first, then their results in the
/// same way. This is how many of `count` numbers are a group: the greatest divisor up to 64; all of them if there is
/// none but 1.
std::int64_t folded_at_once(std::int64_t count);

/// Matrix products and convolutions with up to this many multiplications have a rule: the products of a result are
/// rounded and summed like other numbers, then comes the bias. Larger ones have none.
constexpr std::int64_t kMostProducts = 1 << 18;

/// The following are made of the functions above, step by step: sigmoid and tanh within 3 units in the last place,
/// softplus within 2^-22 of the greater of 1 and itself.
float sigmoid(float a);
float tanh(float a);
float softplus(float a);
/// a / 2 (1 + erf(a / sqrt(2))), within 2^-22 of the greater of 1 and its magnitude.
float gelu(float a);

}  // namespace systole::golden::binary32
