// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "binary32.hpp"
#include "binary32_rows.hpp"

namespace systole::golden::binary32 {
namespace {

constexpr std::uint32_t kSeed = 11;
constexpr double kUnit = 1.0 / (1 << 23);             // in the last place of 1
constexpr double kNearExponential = 1.0 / (1 << 17);  // of the number

TEST(Binary32Rows, SumsNumbersThatAre32Apart) {
  // 2^24 + 1 is no number: the ones are lost where they are added one by one, and kept where they meet first.
  std::vector<float> row(64, 0);
  row[0] = 0x1p24F;
  row[32] = 1;
  EXPECT_EQ(sum_of_row(row.data(), row.size()), 0x1p24F);
  row[32] = 0;
  row[2] = row[3] = 1;
  EXPECT_EQ(sum_of_row(row.data(), row.size()), 0x1p24F + 2);
  row[3] = 0;
  row[1] = 1;  // its neighbour's sum is rounded before
  EXPECT_EQ(sum_of_row(row.data(), row.size()), 0x1p24F);
  const float zero = -0.0F;
  EXPECT_FALSE(std::signbit(sum_of_row(&zero, 1)));
}

TEST(Binary32Rows, MeansAreNear) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> uniform(0, 1);
  for (const std::size_t count : {1U, 7U, 64U, 1000U}) {
    std::vector<float> row(count);
    for (float& number : row) {
      number = uniform(random);
    }
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(count);
    EXPECT_NEAR(mean_of_row(row.data(), count), mean, 20 * kUnit);
  }
}

TEST(Binary32Rows, ReciprocalsAreNear) {
  std::mt19937 random(kSeed);
  std::uniform_real_distribution<float> exponent(-119, 119);
  for (int i = 0; i < 100'000; ++i) {
    const float a = std::exp2(exponent(random));
    const double reciprocal = 1 / double{a}, root = 1 / std::sqrt(double{a});
    ASSERT_LE(std::abs(near_reciprocal(a) - reciprocal), 2 * kUnit * reciprocal) << a;
    ASSERT_LE(std::abs(near_reciprocal_root(a) - root), 3 * kUnit * root) << a;
  }
}

TEST(Binary32Rows, RootsOfNextToNothing) {
  EXPECT_EQ(near_root(0), 0);
  EXPECT_TRUE(std::isfinite(near_reciprocal_root(0)));
  for (const float a : {0x1p-126F, 0x1.8p-125F, 0x1p-121F}) {
    EXPECT_GE(near_root(a), 0);
    EXPECT_LE(near_root(a), 0x1p-60F);
  }
}

TEST(Binary32Rows, ExponentialIsNear) {
  for (float a = -87; a < 88; a += 0.00137F) {
    const double wanted = std::exp(double{a});
    ASSERT_NEAR(near_exponential(a), wanted, kNearExponential * wanted) << a;
  }
  EXPECT_EQ(near_exponential(0), 1);
  for (const float a : {-88.0F, -1000.0F, -INFINITY}) {
    EXPECT_EQ(multiply(near_exponential(a), 1), 0) << a;
  }
  EXPECT_TRUE(std::isnan(near_exponential(NAN)));
}

TEST(Binary32Rows, SigmoidIsNear) {
  for (float a = -79; a < 100; a += 0.0137F) {
    const double wanted = 1 / (1 + std::exp(-double{a}));
    ASSERT_NEAR(near_sigmoid(a), wanted, kNearExponential * wanted) << a;
  }
  EXPECT_EQ(near_sigmoid(-INFINITY), near_sigmoid(-80));
  EXPECT_TRUE(std::isnan(near_sigmoid(NAN)));
}

TEST(Binary32Rows, SoftmaxIsNear) {
  std::vector<float> row{1, -INFINITY, 3, 2.5F, -100};
  std::vector<double> wanted;
  std::transform(row.begin(), row.end(), std::back_inserter(wanted), [](float x) { return std::exp(double{x} - 3); });
  const double all = std::accumulate(wanted.begin(), wanted.end(), 0.0);
  softmax_of_row(row.data(), row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    EXPECT_NEAR(row[i], wanted[i] / all, kNearExponential) << i;
  }
  EXPECT_EQ(row[1], row[4]);
}

}  // namespace
}  // namespace systole::golden::binary32
