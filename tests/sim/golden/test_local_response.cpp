// SPDX-License-Identifier: Apache-2.0
// Local response normalization: bounds against binary64, numbers at the ends of the range, the edges of a row.
#include "local_response.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace systole::golden::test {
namespace {

using functions::F32;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float response(float x, float base, float beta) {
  return functions::local_response(F32(x), {F32(0.0F)}, 1, base, beta).value;
}

TEST(LocalResponse, PowersOfQuartersAreCloseToBinary64) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> exponent(-99, 127);
  for (const float beta : {0.25F, 0.5F, 0.75F, 1.0F}) {
    for (int i = 0; i < 100000; ++i) {
      const float base = std::exp2(exponent(random));
      const double wanted = 3 / std::pow(double{base}, double{beta});
      ASSERT_NEAR(double{response(3, base, beta)} / wanted, 1, 0x1p-20) << base << " to the power of " << beta;
    }
  }
}

TEST(LocalResponse, OtherPowersAndBasesHaveTheFormulaOfPowers) {
  EXPECT_EQ(response(3, 4, 1.5F), 0.375F);
  EXPECT_EQ(response(3, 4, -1), 12);
  EXPECT_EQ(response(1, 0, 0.5F), kInfinity);
  EXPECT_EQ(functions::local_response(F32(2.0F), {F32(4.0F), F32(4.0F)}, 0.5F, 0, 0.5F).value, 1);
}

TEST(LocalResponse, InfiniteBasesAndNoNumbers) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float beta : {0.25F, 0.5F, 0.75F, 1.0F}) {
    const auto of = [&](float x, float square) {
      return functions::local_response(F32(x), {F32(square)}, 1, 1, beta).value;
    };
    EXPECT_EQ(of(3, kInfinity), 0);
    EXPECT_TRUE(std::isnan(of(kInfinity, kInfinity)));
    EXPECT_TRUE(std::isnan(of(3, nan)));
    EXPECT_EQ(of(3, std::numeric_limits<float>::max()) > 0, beta < 1);  // or below 2^-126
  }
}

/// In binary64, rounded.
std::vector<int> exact(const Tensor8& input, const LocalResponse& of, const UniformQuantization& from,
                       const UniformQuantization& to) {
  std::vector<int> result;
  const int channels = input.shape.channels;
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    const int channel = static_cast<int>(i) % channels;
    double base = double{of.bias};
    for (int at = std::max(0, channel - of.before); at <= std::min(channels - 1, channel + of.after); ++at) {
      const double x =
          double{from.scale} *
          (input.data[i - static_cast<std::size_t>(channel) + static_cast<std::size_t>(at)] - from.zero_point);
      base += double{of.factor} * x * x;
    }
    const double x = double{from.scale} * (input.data[i] - from.zero_point);
    const double steps = x / std::pow(base, double{of.beta}) / double{to.scale};
    result.push_back(std::clamp(static_cast<int>(std::nearbyint(steps)) + to.zero_point, -128, 127));
  }
  return result;
}

TEST(LocalResponse, BytesAreThoseOfBinary64ExceptNearTies) {
  std::mt19937 random(2);
  std::uniform_int_distribution<int> byte(-128, 127);
  for (const float beta : {0.25F, 0.5F, 0.75F, 1.0F, 1.25F}) {
    for (const auto& [before, after] : {std::pair{2, 2}, {0, 0}, {1, 0}, {0, 9}}) {
      const LocalResponse of{before, after, 0.02F, 1.5F, beta};
      const UniformQuantization from{0.1F, -20}, to{0.07F, 5};
      Tensor8 input;
      input.shape = {2, 20, 10, 7};
      input.data.resize(input.shape.size());
      std::generate(input.data.begin(), input.data.end(), [&] { return static_cast<std::int8_t>(byte(random)); });
      const Tensor8 found = local_response(input, local_response_params(of, from, to));
      const std::vector<int> wanted = exact(input, of, from, to);
      int differ = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_LE(std::abs(found.data[i] - wanted[i]), 1);
        differ += found.data[i] != wanted[i] ? 1 : 0;
      }
      EXPECT_LE(differ, 3) << "of " << wanted.size();
    }
  }
}

TEST(LocalResponse, RefusesBasesThatMayBeZero) {
  const UniformQuantization q{0.1F, 0};
  EXPECT_THROW(local_response_params({1, 1, 1, 0, 0.75F}, q, q), InvalidArgument);
  EXPECT_THROW(local_response_params({1, 1, -1, 1, 0.75F}, q, q), InvalidArgument);
  EXPECT_THROW(local_response_params({-1, 1, 1, 1, 0.75F}, q, q), InvalidArgument);
  EXPECT_THROW(local_response_params({1, 1, kInfinity, 1, 0.75F}, q, q), InvalidArgument);
}

}  // namespace
}  // namespace systole::golden::test
