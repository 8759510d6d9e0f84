// SPDX-License-Identifier: Apache-2.0
// Layer normalization of binary32: bounds against binary64, independence of the order, numbers that are none.
#include "layer_norm32.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace systole::golden::test {
namespace {

using Row = std::vector<float>;

constexpr std::uint32_t kNan = 0x7fc00000;

Row normalized(const Row& x, float epsilon) {
  const Row ones(x.size(), 1), zeros(x.size(), 0);
  Row result(x.size());
  layer_norm32(x.data(), result.data(), x.size(), ones.data(), zeros.data(), epsilon);
  return result;
}

/// In binary64, of the mean and deviation of which a result has an error of its own.
std::vector<double> exact(const Row& x, double epsilon) {
  double mean = 0, variance = 0;
  for (const float value : x) {
    mean += double{value} / static_cast<double>(x.size());
  }
  for (const float value : x) {
    variance += (double{value} - mean) * (double{value} - mean) / static_cast<double>(x.size());
  }
  std::vector<double> result;
  for (const float value : x) {
    result.push_back((double{value} - mean) / std::sqrt(variance + epsilon));
  }
  return result;
}

/// The greatest error, as a share of the greatest magnitude of the results.
double error_of(const Row& x, float epsilon) {
  const Row found = normalized(x, epsilon);
  const std::vector<double> wanted = exact(x, double{epsilon});
  double error = 0, greatest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    error = std::max(error, std::fabs(double{found[i]} - wanted[i]));
    greatest = std::max(greatest, std::fabs(wanted[i]));
  }
  return error / greatest;
}

TEST(LayerNorm32, IsCloseToBinary64) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  constexpr double kBound = 0x1p-21;
  for (const std::size_t count : {std::size_t{2}, std::size_t{3}, std::size_t{48}, std::size_t{384}, std::size_t{768},
                                  std::size_t{5000}, kMostElementsOfLayerNorm32}) {
    for (const float size : {1e-15F, 1e-3F, 1.0F, 1e15F}) {
      for (const float outlier : {1.0F, 30.0F}) {
        Row x(count);
        std::generate(x.begin(), x.end(), [&] { return size * normal(random); });
        x[count / 2] *= outlier;
        EXPECT_LT(error_of(x, 0), kBound) << count << " elements of " << size << ", one times " << outlier;
      }
    }
  }
}

TEST(LayerNorm32, MeanFarFromZero) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(1000, 1);
  Row x(384);
  std::generate(x.begin(), x.end(), [&] { return normal(random); });
  EXPECT_LT(error_of(x, 1e-5F), 2e-4);  // the mean is within 2^-24 of itself
}

TEST(LayerNorm32, OrderDoesNotMatter) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  Row x(97);
  std::generate(x.begin(), x.end(), [&] { return normal(random); });
  Row sorted = x;
  std::sort(sorted.begin(), sorted.end());
  Row found = normalized(x, 1e-5F);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(found, normalized(sorted, 1e-5F));
}

TEST(LayerNorm32, GammaAndBeta) {
  const Row x = {-1, 1}, gamma = {3, 5}, beta = {10, 20};
  Row result(2);
  layer_norm32(x.data(), result.data(), 2, gamma.data(), beta.data(), 0);
  EXPECT_NEAR(result[0], 7, 1e-6);
  EXPECT_NEAR(result[1], 25, 1e-5);
}

TEST(LayerNorm32, EqualElementsAreZeros) {
  for (const float value : {0.0F, 1.5F, -1e20F, 1e-40F}) {
    EXPECT_EQ(normalized(Row(48, value), 1e-12F), Row(48, 0)) << value;
  }
  EXPECT_EQ(normalized({7}, 1e-5F), Row{0});
}

TEST(LayerNorm32, EpsilonCounts) {
  const Row found = normalized({-1e-3F, 1e-3F}, 1e-6F);
  EXPECT_NEAR(found[1], std::sqrt(0.5), 1e-6);
}

TEST(LayerNorm32, WhatIsNotFiniteMakesAllNan) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  for (const float value : {kInfinite, -kInfinite, std::bit_cast<float>(0xff800001U)}) {
    Row x(40, 0);
    x[11] = value;
    const Row found = normalized(x, 1e-5F);
    EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](float result) {
      return std::bit_cast<std::uint32_t>(result) == kNan;
    })) << value;
  }
}

TEST(LayerNorm32, BitsLeaveRoomForTheSum) {
  for (std::size_t count = 1; count <= kMostElementsOfLayerNorm32; ++count) {
    const double most = std::ldexp(static_cast<double>(count), layer_norm32_bits(count));
    ASSERT_LE(most, 0x1p30) << count;
    ASSERT_GT(2 * most, 0x1p29) << count;
  }
}

}  // namespace
}  // namespace systole::golden::test
