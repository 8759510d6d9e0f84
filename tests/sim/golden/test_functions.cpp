// SPDX-License-Identifier: Apache-2.0
// Formulas of binary32, which golden values and kernels share: those in steps against their definitions, the others
// against the C library in higher precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "functions/error_function.hpp"
#include "functions/near.hpp"
#include "functions/nonlinearities.hpp"
#include "functions/number_formats.hpp"
#include "functions/quotient.hpp"
#include "functions/rounding.hpp"

namespace systole::golden::test {
namespace {

namespace functions = golden::functions;
using functions::F32;
using functions::I32;

constexpr int kSamples = 1000000;

std::uint32_t bits(float a) { return std::bit_cast<std::uint32_t>(a); }

/// Numbers of every exponent and class, the edges of classes more often than others.
class Numbers {
 public:
  float operator()() {
    constexpr std::uint32_t kEdges[] = {0,          1,          0x7fffff,   0x800000,   0x3f7fffff,
                                        0x3f800000, 0x3f800001, 0x7f7fffff, 0x7f800000, 0x7fc00000};
    const std::uint32_t word = static_cast<std::uint32_t>(random_());
    return std::bit_cast<float>(word % 16 == 0 ? kEdges[word / 16 % std::size(kEdges)] | (word & 0x80000000) : word);
  }
  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

 private:
  std::mt19937 random_{1};
};

/// Of a NaN one is as good as another.
bool same(float a, float b) { return bits(a) == bits(b) || (std::isnan(a) && std::isnan(b)); }

TEST(Functions, QuotientAndRootInStepsAreThoseOfTheDefinition) {
  Numbers number;
  for (int i = 0; i < kSamples; ++i) {
    const float a = number(), b = number();
    ASSERT_PRED2(same, functions::quotient(F32(a), F32(b)).value, binary32::divide(a, b)) << a << " / " << b;
    ASSERT_PRED2(same, functions::root(F32(a)).value, binary32::square_root(a)) << a;
  }
}

TEST(Functions, RoundingInStepsIsThatOfTheDefinition) {
  Numbers number;
  for (int i = 0; i < kSamples; ++i) {
    const float a = i % 2 == 0 ? number() : static_cast<float>(static_cast<std::int32_t>(number.word()) >> 8) / 64;
    ASSERT_PRED2(same, functions::nearest(F32(a)).value, binary32::round(a)) << a;
    ASSERT_PRED2(same, functions::next_below(F32(a)).value, binary32::floor(a)) << a;
    ASSERT_PRED2(same, functions::next_above(F32(a)).value, binary32::ceil(a)) << a;
    const double whole = std::isnan(a) ? 0 : std::clamp(std::trunc(double{a}), -0x1p31, 0x1p31 - 1);
    ASSERT_EQ(functions::truncated(F32(a)).number(), static_cast<std::int32_t>(whole)) << a;
  }
}

TEST(Functions, WideIntegersAreRoundedOnce) {
  Numbers number;
  for (int i = 0; i < kSamples; ++i) {
    const auto wide = (std::int64_t{static_cast<std::int32_t>(number.word())} << 32 | number.word()) >> i % 64;
    const I32 low = I32::of_bits(static_cast<std::uint32_t>(wide)),
              high = I32::of_bits(static_cast<std::uint32_t>(static_cast<std::uint64_t>(wide) >> 32));
    ASSERT_EQ(functions::of_wide<F32>(low, high, I32(-1)).value, static_cast<float>(wide)) << wide;
    ASSERT_EQ(functions::of_wide<F32>(low, high, I32(0)).value, static_cast<float>(static_cast<std::uint64_t>(wide)));
  }
}

TEST(Functions, HalvesGoThereAndBack) {
  for (int word = 0; word < 1 << 16; ++word) {
    const I32 half(static_cast<std::int16_t>(word));
    const float exact = functions::of_half<F32>(half).value;
    const int exponent = word >> 10 & 31, fraction = word & 1023;
    const double magnitude = exponent == 31  ? (fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan(""))
                             : exponent == 0 ? std::ldexp(fraction, -24)
                                             : std::ldexp(1024 + fraction, exponent - 25);
    ASSERT_PRED2(same, exact, static_cast<float>(std::copysign(magnitude, word >> 15 != 0 ? -1 : 1))) << word;
    const bool is_nan = std::isnan(exact);
    ASSERT_EQ(functions::half_of(F32(exact)).word & 0xffff,
              is_nan ? (word & 0x8000U) | 0x7e00U : static_cast<std::uint32_t>(word))
        << word;
    const float upper = functions::of_bfloat<F32>(half).value;
    ASSERT_EQ(functions::bfloat_of(F32(upper)).word & 0xffff,
              std::isnan(upper) ? 0x7fc0U : static_cast<std::uint32_t>(word))
        << word;
  }
}

/// The greatest error in units in the last place of the exact result, over numbers evenly and over exponents evenly.
double greatest_error(const std::function<F32(F32)>& function, const std::function<long double(long double)>& exact,
                      float low, float high) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(low, high), exponents(-24, 7);
  double greatest = 0;
  for (int i = 0; i < kSamples; ++i) {
    const float size = std::exp2(exponents(random));
    const float x = i % 2 == 0 ? numbers(random) : std::clamp(i % 4 == 1 ? size : -size, low, high);
    const long double expected = exact(x);
    if (std::fabs(expected) >= 0x1p-126L && std::fabs(expected) < 0x1p127L) {
      const long double unit = std::ldexp(1.0L, std::ilogb(expected) - functions::kFractionBits);
      const long double error = std::fabs(function(F32(x)).value - expected) / unit;
      greatest = std::max(greatest, static_cast<double>(error));
    }
  }
  return greatest;
}

TEST(Functions, AreWithinTheirBounds) {
  struct Bound {
    const char* name;
    F32 (*function)(const F32&);
    long double (*exact)(long double);
    float low, high;
    double units;
  };
  using functions::exponential_below_zero;
  const Bound bounds[] = {
      {"exponential", functions::exponential<F32>, [](long double x) { return std::exp(x); }, -87, 88, 1},
      {"exponential_below_zero", exponential_below_zero<F32>, [](long double x) { return std::exp(-std::fabs(x)); },
       -87, 87, 1},
      {"exponential_less_one", functions::exponential_less_one<F32>, [](long double x) { return std::expm1(x); }, -87,
       0, 1},
      {"logarithm", functions::logarithm<F32>, [](long double x) { return std::log(x); }, 0x1p-24F, 128, 0.85},
      {"error_function", functions::error_function<F32>, [](long double x) { return std::erf(x); }, -6, 6, 1.2},
      {"sigmoid", functions::sigmoid<F32>, [](long double x) { return 1 / (1 + std::exp(-x)); }, -87, 87, 2.1},
      {"tanh", functions::tanh<F32>, [](long double x) { return std::tanh(x); }, -20, 20, 2.7},
      {"near_reciprocal", functions::near_reciprocal<F32>, [](long double x) { return 1 / x; }, 0x1p-24F, 128, 2},
      {"near_reciprocal_root", [](const F32& x) { return functions::near_reciprocal_root(x); },
       [](long double x) { return 1 / std::sqrt(x); }, 0x1p-24F, 128, 2.2},
      {"near_root", functions::near_root<F32>, [](long double x) { return std::sqrt(x); }, 0x1p-24F, 128, 84},
      {"near_quotient", [](const F32& x) { return functions::near_quotient(F32(3.0F), x); },
       [](long double x) { return 3 / x; }, 0x1p-24F, 128, 3},
  };
  for (const Bound& bound : bounds) {
    const double error = greatest_error(bound.function, bound.exact, bound.low, bound.high);
    EXPECT_LE(error, bound.units) << bound.name;
    EXPECT_GT(error, 0.7 * bound.units) << bound.name << ": a bound that says less than could be said";
  }
}

TEST(Functions, AreRightAtTheEdges) {
  const float infinite = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto at = [](F32 (*function)(const F32&), float x) { return function(F32(x)).value; };
  EXPECT_PRED2(same, at(functions::sigmoid<F32>, 0), 0.5F);
  EXPECT_PRED2(same, at(functions::sigmoid<F32>, infinite), 1.0F);
  EXPECT_PRED2(same, at(functions::sigmoid<F32>, -infinite), 0.0F);
  EXPECT_PRED2(same, at(functions::tanh<F32>, -0.0F), -0.0F);
  EXPECT_PRED2(same, at(functions::tanh<F32>, 0.0F), 0.0F);
  EXPECT_PRED2(same, at(functions::tanh<F32>, infinite), 1.0F);
  EXPECT_PRED2(same, at(functions::tanh<F32>, -infinite), -1.0F);
  EXPECT_PRED2(same, at(functions::exponential<F32>, infinite), infinite);
  EXPECT_PRED2(same, at(functions::exponential<F32>, -infinite), 0.0F);
  EXPECT_PRED2(same, at(functions::logarithm<F32>, 0.0F), -infinite);
  EXPECT_PRED2(same, at(functions::logarithm<F32>, -1.0F), nan);
  EXPECT_PRED2(same, at(functions::logarithm<F32>, infinite), infinite);
  EXPECT_PRED2(same, at(functions::softplus<F32>, infinite), infinite);
  EXPECT_PRED2(same, at(functions::softplus<F32>, -infinite), 0.0F);
  EXPECT_PRED2(same, at(functions::gelu<F32>, infinite), infinite);
  for (F32 (*function)(const F32&) :
       {functions::sigmoid<F32>, functions::tanh<F32>, functions::exponential<F32>, functions::logarithm<F32>,
        functions::error_function<F32>, functions::gelu<F32>, functions::softplus<F32>}) {
    EXPECT_EQ(bits(function(F32(nan)).value), 0x7fc00000U);
  }
}

}  // namespace
}  // namespace systole::golden::test
