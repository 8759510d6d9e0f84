// SPDX-License-Identifier: Apache-2.0
#include "systole/requantize.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "random_tensors.hpp"

namespace systole {
namespace {

using golden::test::between;
using golden::test::random_rounding;
using golden::test::random_scale;

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t kHalf = 1 << 30;  // multiplier of 0.5

std::int64_t scaled(std::int32_t acc, std::int32_t multiplier, int shift, Rounding rounding) {
  return multiply_by_quantized_multiplier(acc, multiplier, shift, rounding);
}

TEST(Requantize, TiesGoWhereTheNameSays) {
  // acc / 2: the high multiply alone, which rounds ties up in kDouble as well.
  EXPECT_EQ(scaled(1, kHalf, 0, Rounding::kDouble), 1);
  EXPECT_EQ(scaled(-1, kHalf, 0, Rounding::kDouble), 0);
  EXPECT_EQ(scaled(-1, kHalf, 0, Rounding::kSingle), 0);
  EXPECT_EQ(scaled(1, kHalf, 0, Rounding::kEven), 0);
  EXPECT_EQ(scaled(3, kHalf, 0, Rounding::kEven), 2);
  EXPECT_EQ(scaled(-3, kHalf, 0, Rounding::kEven), -2);
  // acc / 4: the right shift of kDouble rounds ties away from zero.
  EXPECT_EQ(scaled(-2, kHalf, -1, Rounding::kDouble), -1);
  EXPECT_EQ(scaled(-2, kHalf, -1, Rounding::kSingle), 0);
  EXPECT_EQ(scaled(-2, kHalf, -1, Rounding::kEven), 0);
  EXPECT_EQ(scaled(-6, kHalf, -1, Rounding::kEven), -2);
}

TEST(Requantize, DoubleRoundsTwice) {
  // 5 / 4 = 1.25 rounds to 1 once; twice it is round(2.5) = 3, then round(1.5) = 2.
  EXPECT_EQ(scaled(5, kHalf, -1, Rounding::kSingle), 1);
  EXPECT_EQ(scaled(5, kHalf, -1, Rounding::kDouble), 2);
}

TEST(Requantize, OnlyDoubleSaturatesTheLeftShift) {
  EXPECT_EQ(scaled(kMax, kHalf, 30, Rounding::kDouble), 1 << 30);
  EXPECT_EQ(scaled(kMin, kMax, 30, Rounding::kDouble), -std::int64_t{kMax});
  EXPECT_EQ(scaled(kMax, kHalf, 30, Rounding::kSingle), std::int64_t{kMax} << 29);
  EXPECT_EQ(scaled(kMin, kMax, 30, Rounding::kEven), std::int64_t{kMin} / 2 * kMax);
}

TEST(Requantize, ClampAppliesAfterZeroPoint) {
  const QuantParam one{kHalf, 1};
  EXPECT_EQ(requantize(100, one, 20, -128, 127, Rounding::kDouble), 120);
  EXPECT_EQ(requantize(100, one, 30, -128, 127, Rounding::kDouble), 127);
  EXPECT_EQ(requantize(-100, one, -30, -128, 127, Rounding::kDouble), -128);
  EXPECT_EQ(requantize(-100, one, 90, 0, 50, Rounding::kDouble), 0);
  EXPECT_EQ(requantize(kMax, {kMax, 30}, kMax, -128, 127, Rounding::kSingle), 127);
  EXPECT_EQ(requantize(kMin, {kMax, 30}, kMin, -128, 127, Rounding::kEven), -128);
}

RC_GTEST_PROP(Requantize, NeverFurtherThanItsRoundingAllows, ()) {
  const auto acc = between(kMin, kMax - 1);
  const auto scale = random_scale(-31, 0);
  const auto exact = static_cast<long double>(acc) * scale.multiplier * std::ldexp(1.0L, scale.shift - 31);
  const auto error = [&](Rounding rounding) {
    return std::abs(static_cast<long double>(multiply_by_quantized_multiplier(acc, scale, rounding)) - exact);
  };
  RC_ASSERT(error(Rounding::kDouble) <= 0.75L);  // half a unit, and half a unit of twice the weight or less
  RC_ASSERT(error(Rounding::kSingle) <= 0.5L);
  RC_ASSERT(error(Rounding::kEven) <= 0.5L);
}

RC_GTEST_PROP(Requantize, IsMonotonicInTheAccumulator, ()) {
  const auto a = between(kMin, kMax - 1);
  const auto b = *rc::gen::element(a + 1, between(kMin, kMax - 1));
  const auto scale = random_scale(-31, 30);
  const auto rounding = random_rounding();
  const auto low = multiply_by_quantized_multiplier(std::min(a, b), scale, rounding);
  RC_ASSERT(low <= multiply_by_quantized_multiplier(std::max(a, b), scale, rounding));
}

RC_GTEST_PROP(Requantize, EvenIsOdd, ()) {
  const auto acc = between(kMin + 1, kMax - 1);
  const auto scale = random_scale(-31, 30);
  RC_ASSERT(multiply_by_quantized_multiplier(-acc, scale, Rounding::kEven) ==
            -multiply_by_quantized_multiplier(acc, scale, Rounding::kEven));
}

TEST(QuantizeMultiplier, KnownFactors) {
  EXPECT_EQ(quantize_multiplier(0.0), (QuantParam{0, 0}));
  EXPECT_EQ(quantize_multiplier(1.0), (QuantParam{kHalf, 1}));
  EXPECT_EQ(quantize_multiplier(0.5), (QuantParam{kHalf, 0}));
  EXPECT_EQ(quantize_multiplier(0.75), (QuantParam{3 << 29, 0}));
  EXPECT_EQ(quantize_multiplier(0.1), (QuantParam{1717986918, -3}));
  EXPECT_EQ(quantize_multiplier(std::nextafter(1.0, 0.0)), (QuantParam{kHalf, 1}));  // the mantissa rounds up to 1
}

TEST(QuantizeMultiplier, EndsOfTheRange) {
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, -32)), (QuantParam{kHalf, -31}));
  EXPECT_EQ(quantize_multiplier(std::ldexp(0.99, -32)), (QuantParam{0, 0}));
  EXPECT_EQ(quantize_multiplier(std::ldexp(1.0, 29)), (QuantParam{kHalf, 30}));
  EXPECT_THROW(quantize_multiplier(std::ldexp(1.0, 30)), std::invalid_argument);
  EXPECT_THROW(quantize_multiplier(-0.5), std::invalid_argument);
  EXPECT_THROW(quantize_multiplier(std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
  EXPECT_THROW(quantize_multiplier(std::numeric_limits<double>::infinity()), std::invalid_argument);
}

int half_away(int sum, int count) { return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count; }

int wrong_averages(int count, const QuantParam& reciprocal, int step) {
  int wrong = 0;
  for (int sum = -128 * count; sum <= 128 * count; sum += step) {
    wrong += multiply_by_quantized_multiplier(sum, reciprocal, Rounding::kSingle) != half_away(sum, count);
  }
  return wrong;
}

TEST(AveragePoolReciprocal, ExactForEverySumUpTo128) {
  for (int count = 1; count <= 128; ++count) {
    EXPECT_EQ(wrong_averages(count, average_pool_reciprocal(count), 1), 0) << count;
  }
}

TEST(AveragePoolReciprocal, ExactForEveryCountToItsLimit) {
  for (int count = 129; count <= kMaxAveragePoolCount; ++count) {
    const QuantParam reciprocal = average_pool_reciprocal(count);
    EXPECT_TRUE(is_valid(reciprocal));
    EXPECT_EQ(wrong_averages(count, reciprocal, 997), 0) << count;
    // Around every quotient's tie, where an inexact reciprocal shows.
    for (int quotient = -128; quotient < 128; ++quotient) {
      for (int sum = quotient * count + count / 2 - 1; sum <= quotient * count + count / 2 + 2; ++sum) {
        ASSERT_EQ(multiply_by_quantized_multiplier(sum, reciprocal, Rounding::kSingle), half_away(sum, count))
            << sum << " / " << count;
      }
    }
  }
}

TEST(AveragePoolReciprocal, TheNearestReciprocalIsNotExact) {
  // Shows that the exhaustive check can fail: -1/2 must become -1, the nearest reciprocal gives 0.
  EXPECT_GT(wrong_averages(2, quantize_multiplier(1.0 / 2), 1), 0);
  EXPECT_GT(wrong_averages(10, quantize_multiplier(1.0 / 10), 1), 0);
}

TEST(AveragePoolReciprocal, RefusesOtherCounts) {
  EXPECT_THROW(average_pool_reciprocal(0), std::invalid_argument);
  EXPECT_THROW(average_pool_reciprocal(-3), std::invalid_argument);
  EXPECT_THROW(average_pool_reciprocal(kMaxAveragePoolCount + 1), std::invalid_argument);
}

}  // namespace
}  // namespace systole
