// SPDX-License-Identifier: Apache-2.0
// Arithmetic and functions of binary32: their rules, and bounds against binary64.
#include "binary32.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace systole::golden::test {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr std::uint32_t kNan = 0x7fc00000, kSign = 0x80000000;

std::uint32_t bits(float a) { return std::bit_cast<std::uint32_t>(a); }
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

using Function = std::function<float(float)>;
using Exact = std::function<double(double)>;

/// The greatest error in units in the last place of the exact result.
double greatest_error(const Function& function, const Exact& exact, double low, double high) {
  constexpr int kSamples = 200000, kLeastExponent = -126, kFraction = 23;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> numbers(low, high);
  double greatest = 0;
  for (int i = 0; i < kSamples; ++i) {
    const auto x = static_cast<float>(numbers(random));
    const double expected = exact(double{x});
    if (std::fabs(expected) >= 0x1p-126 && std::fabs(expected) < 0x1p128 * (1 - 0x1p-25)) {
      const double unit = std::ldexp(1.0, std::max(kLeastExponent, std::ilogb(expected)) - kFraction);
      greatest = std::max(greatest, std::fabs(double{function(x)} - expected) / unit);
    }
  }
  return greatest;
}

TEST(Binary32, SubnormalsAreZerosAndThereIsOneNan) {
  const float subnormal = number(0x007fffff), least = 0x1p-126F;
  EXPECT_EQ(bits(binary32::add(subnormal, subnormal)), 0U);
  EXPECT_EQ(bits(binary32::multiply(number(kSign | 1), 1)), kSign);
  EXPECT_EQ(bits(binary32::subtract(1.5F * least, least)), 0U);
  EXPECT_EQ(bits(binary32::divide(least, 2)), 0U);
  EXPECT_EQ(binary32::divide(1, subnormal), kInfinite);
  EXPECT_EQ(binary32::multiply(0x1.fffffep-64F, 0x1.000002p-63F), least);  // rounded up, with an unbounded exponent
  EXPECT_TRUE(binary32::equal(subnormal, -0.0F));
  EXPECT_FALSE(binary32::less(0, subnormal));
  EXPECT_EQ(bits(binary32::add(number(0xffa00001), 1)), kNan);
  EXPECT_EQ(bits(binary32::minimum(1, number(0x7f800001))), kNan);
  EXPECT_EQ(bits(binary32::square_root(-1)), kNan);
  EXPECT_EQ(bits(binary32::negative(subnormal)), bits(subnormal) | kSign);
  EXPECT_EQ(bits(binary32::minimum(0, -0.0F)), kSign);
  EXPECT_EQ(bits(binary32::maximum(-0.0F, 0)), 0U);
}

/// By the definition: binary64 holds the exact result, or so much of it that one more rounding is right.
float by_definition(double exact) {
  if (std::isnan(exact)) {
    return number(kNan);
  }
  return std::fabs(exact) < 0x1p-126 * (1 - 0x1p-25) ? std::copysign(0.0F, static_cast<float>(exact))
                                                     : static_cast<float>(exact);
}

/// Numbers of which many are next to a limit: 0, the subnormal ones, infinity, or each other.
float drawn(std::mt19937& random) {
  const std::uint32_t word = random(), fraction = word & 0x807fffff;
  switch (random() % 8) {
    case 0: return number(word);
    case 1: return number(word & 0x80ffffff);
    case 2: return number(word & 0x81800000);
    case 3: return number(word & kSign);
    case 4: return number((word & 0x80000003) | (random() % 4) << 23);
    case 5: return number((word & kSign) | 0x7f000000 | (random() & 0xffffff));
    case 6: return number(fraction | (50 + random() % 20) << 23);
    default: return number(fraction | (100 + random() % 60) << 23);
  }
}

TEST(Binary32, SumsAndProductsAreThoseOfTheDefinition) {
  constexpr int kSamples = 2'000'000;
  std::mt19937 random(1);
  const auto operand = [](float a) {
    return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0, double{a}) : double{a};
  };
  for (int i = 0; i < kSamples; ++i) {
    const float a = drawn(random), b = drawn(random);
    const double x = operand(a), y = operand(b);
    ASSERT_EQ(bits(binary32::add(a, b)), bits(by_definition(x + y))) << a << " + " << b;
    ASSERT_EQ(bits(binary32::subtract(a, b)), bits(by_definition(x - y))) << a << " - " << b;
    ASSERT_EQ(bits(binary32::multiply(a, b)), bits(by_definition(x * y))) << a << " * " << b;
  }
}

TEST(Binary32, FunctionsHaveTheLimitsOfTheDefinitions) {
  EXPECT_EQ(binary32::exponential(-kInfinite), 0);
  EXPECT_EQ(binary32::exponential(89), kInfinite);
  EXPECT_EQ(binary32::exponential(0), 1);
  EXPECT_EQ(binary32::exponential_less_one(-kInfinite), -1);
  EXPECT_EQ(binary32::logarithm(1), 0);
  EXPECT_EQ(binary32::logarithm(-0.0F), -kInfinite);
  EXPECT_EQ(binary32::logarithm(kInfinite), kInfinite);
  EXPECT_TRUE(std::isnan(binary32::logarithm(-1)));
  EXPECT_EQ(binary32::tanh(-kInfinite), -1);
  EXPECT_EQ(binary32::sigmoid(-kInfinite), 0);
  EXPECT_EQ(binary32::sigmoid(kInfinite), 1);
  EXPECT_EQ(binary32::softplus(-kInfinite), 0);
  for (const auto& function : {binary32::exponential, binary32::exponential_less_one, binary32::logarithm,
                               binary32::sigmoid, binary32::softplus}) {
    EXPECT_EQ(bits(function(number(0xffc00001))), kNan);
  }
}

TEST(Binary32, FunctionsAreWithinTheirBounds) {
  const auto exponential = [](double x) { return std::exp(x); };
  EXPECT_LT(greatest_error(binary32::exponential, exponential, -87.3, 88.7), 1);
  EXPECT_LT(greatest_error(binary32::exponential, exponential, -1, 1), 1);
  EXPECT_LT(greatest_error(
                binary32::exponential_less_one, [](double x) { return std::expm1(x); }, -20, 0),
            1);
  EXPECT_LT(greatest_error(
                binary32::exponential_less_one, [](double x) { return std::expm1(x); }, -1, 0),
            1);
  EXPECT_LT(greatest_error(
                binary32::logarithm, [](double x) { return std::log(x); }, 0, 2),
            1);
  EXPECT_LT(greatest_error(
                binary32::logarithm, [](double x) { return std::log(x); }, 0, 1e30),
            1);
  EXPECT_LT(greatest_error([](float x) { return binary32::tanh(x); }, [](double x) { return std::tanh(x); }, -5, 5), 3);
  EXPECT_LT(greatest_error(
                binary32::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, -80, 80),
            3);
}

TEST(Binary32, SoftplusAndGeluAreWithinTheirBounds) {
  for (int i = -20000; i <= 20000; ++i) {
    const auto x = static_cast<float>(i) / 1000;
    const double exact = std::max(double{x}, 0.0) + std::log1p(std::exp(-std::fabs(double{x})));
    EXPECT_LE(std::fabs(double{binary32::softplus(x)} - exact), 0x1p-22 * std::max(1.0, exact)) << x;
    const double gelu = double{x} / 2 * (1 + std::erf(double{x} / std::sqrt(2.0)));
    EXPECT_LE(std::fabs(double{binary32::gelu(x)} - gelu), 0x1p-22 * std::max(1.0, std::fabs(gelu))) << x;
  }
}

TEST(Binary32, SumsLoseLittle) {
  binary32::Sum sum;
  double exact = 0;
  for (int i = 0; i < 64; ++i) {
    const float value = i % 2 == 0 ? 1e8F / static_cast<float>(i + 1) : -0.3F;
    sum.add(value);
    exact += double{value};
  }
  EXPECT_EQ(sum.result(), static_cast<float>(exact));
  binary32::Sum infinite;
  infinite.add(1);
  infinite.add(kInfinite);
  infinite.add(1);
  EXPECT_EQ(infinite.result(), kInfinite);
  infinite.add(-kInfinite);
  EXPECT_TRUE(std::isnan(infinite.result()));
}

TEST(Binary32, ManyNumbersAreFoldedInGroups) {
  EXPECT_EQ(binary32::folded_at_once(1), 1);
  EXPECT_EQ(binary32::folded_at_once(64), 64);
  EXPECT_EQ(binary32::folded_at_once(65), 13);
  EXPECT_EQ(binary32::folded_at_once(1000), 50);
  EXPECT_EQ(binary32::folded_at_once(67), 67);
}

}  // namespace
}  // namespace systole::golden::test
