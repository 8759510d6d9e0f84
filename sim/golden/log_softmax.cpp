// SPDX-License-Identifier: Apache-2.0
#include "log_softmax.hpp"

#include <fmt/core.h>

#include <gemmlowp/fixedpoint/fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "systole/errors.hpp"
#include "systole/requantize.hpp"

namespace systole::golden {
namespace {

using gemmlowp::FixedPoint;
using gemmlowp::Rescale;

constexpr int kInputBits = 5;
constexpr int kSumBits = 12;
constexpr int kOutputBits = 4;
using Difference = FixedPoint<std::int32_t, kInputBits>;
using Sum = FixedPoint<std::int32_t, kSumBits>;
using Fraction = FixedPoint<std::int32_t, 0>;

// value * 2^exponent, saturated; rounded if the exponent is negative.
std::int32_t times_power_of_two(std::int32_t value, int exponent) {
  return exponent < 0 ? gemmlowp::RoundingDivideByPOT(value, -exponent)
                      : saturate_to_int32(std::int64_t{value} * (std::int64_t{1} << exponent));
}

std::int32_t saturating_add(std::int32_t a, std::int32_t b) { return saturate_to_int32(std::int64_t{a} + b); }

// log(x) for x >= 1: the exponent times log(2), plus a rational approximation for the rest, which is near 2^-1/4. Of
// two ways to split x, a quarter of an octave apart, uses the one with the smaller rest.
Difference logarithm(Sum x) {
  constexpr int kAccumulatorBits = kInputBits + 1;  // one bit of headroom: the product below may saturate otherwise
  using Accumulator = FixedPoint<std::int32_t, kAccumulatorBits>;
  const Fraction log_2 = Fraction::FromRaw(1488522236);
  const Fraction fourth_root_of_half = Fraction::FromRaw(1805811301);
  const Fraction root_of_half = Fraction::FromRaw(1518500250);
  const Fraction alpha_n = Fraction::FromRaw(117049297);   // 11/240 2^(1/4)
  const Fraction alpha_d = Fraction::FromRaw(127690142);   // 1/20 2^(1/4)
  const Fraction alpha_i = Fraction::FromRaw(1057819769);  // 2 / 2^(1/4) - 2^(1/4)
  const Fraction alpha_f = Fraction::FromRaw(638450708);   // 1/4 2^(1/4)
  const std::int32_t quarter = Rescale<kAccumulatorBits>(Fraction::FromRaw(1 << 29)).raw();
  const auto exponent = [](int bits) { return times_power_of_two(kSumBits - bits, 31 - kAccumulatorBits); };

  const Fraction a = Fraction::FromRaw(x.raw());
  const int zeros_a = __builtin_clz(static_cast<std::uint32_t>(a.raw()));
  const Fraction scaled_a = Fraction::FromRaw(times_power_of_two(a.raw(), zeros_a - 1));
  const std::int32_t rest_a = times_power_of_two((scaled_a * root_of_half).raw(), 1);
  const std::int32_t exponent_a = saturating_add(exponent(zeros_a), quarter);

  const Fraction b = a * root_of_half;
  const int headroom_b = __builtin_clz(static_cast<std::uint32_t>(b.raw())) - 1;
  const std::int32_t rest_b = times_power_of_two(a.raw(), headroom_b);
  const std::int32_t exponent_b = saturating_add(exponent(headroom_b), -quarter);

  const Fraction r = Fraction::FromRaw(std::min(rest_a, rest_b));
  const Accumulator power = Accumulator::FromRaw(std::max(exponent_a, exponent_b));
  const Fraction p = gemmlowp::RoundingHalfSum(r, fourth_root_of_half);
  Fraction q = r - fourth_root_of_half;
  q = q + q;
  const Fraction square = q * q;
  const Fraction numerator = q * r + q * square * alpha_n;
  const Fraction denominator_less_one = p * (alpha_i + q + alpha_d * square) + alpha_f * q;
  const Fraction reciprocal = gemmlowp::one_over_one_plus_x_for_x_in_0_1(denominator_less_one);
  return Rescale<kInputBits>(power * log_2 + Rescale<kAccumulatorBits>(numerator) * reciprocal);
}

// As multiply_by_quantized_multiplier, which allows shifts only up to 30.
std::int32_t to_fixed(int difference, const QuantParam& scale) {
  const std::int32_t shifted = saturate_to_int32(std::int64_t{difference} * (std::int64_t{1} << scale.shift));
  return rounding_doubling_high_multiply(shifted, scale.multiplier);
}

}  // namespace

LogSoftmaxParams log_softmax_params(float input_scale) {
  const double factor = std::min(std::ldexp(double{input_scale}, 31 - kInputBits), 2147483647.0);
  if (!(factor > 1.0)) {
    throw InvalidArgument(fmt::format("log softmax of scale {}; it must exceed 2^-26", input_scale));
  }
  LogSoftmaxParams scaling;
  // Not quantize_multiplier: a shift of 31 is legal here.
  auto multiplier = static_cast<std::int64_t>(std::round(std::frexp(factor, &scaling.to_fixed.shift) * 2147483648.0));
  if (multiplier == (std::int64_t{1} << 31)) {
    multiplier /= 2;
    ++scaling.to_fixed.shift;
  }
  scaling.to_fixed.multiplier = static_cast<std::int32_t>(multiplier);
  scaling.from_fixed =
      quantize_multiplier(std::ldexp(1.0, 31 - scaling.to_fixed.shift) / static_cast<double>(multiplier));
  const double radius =
      std::ldexp(double{(1 << kInputBits) - 1} * double{1 << (31 - kInputBits)}, -scaling.to_fixed.shift);
  scaling.least = -static_cast<int>(std::floor(std::min(radius, 1e9)));
  for (int difference = std::max(-255, scaling.least); difference <= 0; ++difference) {
    const Difference fixed = Difference::FromRaw(to_fixed(difference, scaling.to_fixed));
    scaling.exponentials[static_cast<std::uint8_t>(difference)] =
        Rescale<kSumBits>(gemmlowp::exp_on_negative_values(fixed)).raw();
  }
  return scaling;
}

Tensor8 log_softmax(const Tensor8& input, float input_scale) {
  constexpr int kZeroPoint = 127;
  constexpr int kLongest = (1 << kSumBits) - 1;
  if (input.shape.channels > kLongest) {
    throw InvalidArgument(
        fmt::format("log softmax of rows of {} elements; at most {}", input.shape.channels, kLongest));
  }
  const LogSoftmaxParams scaling = log_softmax_params(input_scale);
  Tensor8 out(input.shape);
  const auto depth = std::size_t(input.shape.channels);
  for (std::size_t start = 0; start < input.data.size(); start += depth) {
    const std::int8_t* row = input.data.data() + start;
    const int most = *std::max_element(row, row + depth);
    Sum sum = Sum::Zero();
    for (std::size_t i = 0; i < depth; ++i) {
      sum = sum + Sum::FromRaw(scaling.exponentials[static_cast<std::uint8_t>(row[i] - most)]);
    }
    const std::int32_t log_sum = logarithm(sum).raw();
    const std::int32_t lowest = log_sum + std::numeric_limits<std::int32_t>::min();
    const auto reachable =
        static_cast<int>(multiply_by_quantized_multiplier(lowest, scaling.from_fixed, Rounding::kDouble));
    const int above = std::max(scaling.least - 1, reachable);
    for (std::size_t i = 0; i < depth; ++i) {
      const int difference = row[i] - most;
      if (difference <= above) {
        out.data[start + i] = -128;
        continue;
      }
      const std::int32_t steps = gemmlowp::RoundingDivideByPOT(to_fixed(difference, scaling.to_fixed) - log_sum,
                                                               31 - kInputBits - kOutputBits);
      out.data[start + i] = static_cast<std::int8_t>(std::clamp(steps + kZeroPoint, -128, 127));
    }
  }
  return out;
}

}  // namespace systole::golden
