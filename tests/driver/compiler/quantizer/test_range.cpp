// SPDX-License-Identifier: Apache-2.0
// Statistics of values, and the ranges chosen from them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "range.hpp"

namespace systole::quantizer {
namespace {

std::vector<float> normal(std::size_t count, float deviation, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> distribution(0, deviation);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(random); });
  return values;
}

Statistics of(const std::vector<float>& values) {
  Statistics statistics;
  statistics.add(values);
  return statistics;
}

double real(int steps, const graph::Quantization& q) { return double{q.scale[0]} * (steps - q.zero_point[0]); }

TEST(Statistics, PixelsAreGroupsOfTheirOwn) {
  std::vector<float> pixels;
  for (int i = 0; i < 256; ++i) {
    pixels.insert(pixels.end(), static_cast<std::size_t>(i % 3 + 1), static_cast<float>(i));
  }
  const auto groups = of(pixels).groups();
  ASSERT_EQ(groups.size(), 256U);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(groups[static_cast<std::size_t>(i)].value, i);
    EXPECT_EQ(groups[static_cast<std::size_t>(i)].count, static_cast<std::uint64_t>(i % 3 + 1));
  }
}

RC_GTEST_PROP(Statistics, KnowExtremesCountAndSum, (std::uint32_t seed)) {
  Statistics statistics;
  double sum = 0;
  std::vector<float> all;
  for (const float deviation : {0.001F, 10.0F, 0.5F}) {
    std::vector<float> values = normal(100, deviation, seed++);
    values.push_back(0);
    statistics.add(values);
    all.insert(all.end(), values.begin(), values.end());
  }
  double grouped = 0;
  std::uint64_t count = 0;
  const auto groups = statistics.groups();
  for (const Statistics::Group& group : groups) {
    grouped += group.value * static_cast<double>(group.count);
    count += group.count;
  }
  for (const float value : all) {
    sum += double{value};
  }
  RC_ASSERT(count == all.size());
  RC_ASSERT(statistics.count() == all.size());
  RC_ASSERT(std::abs(grouped - sum) < 1e-9 * static_cast<double>(all.size()));
  RC_ASSERT(statistics.min() == double{*std::min_element(all.begin(), all.end())});
  RC_ASSERT(statistics.max() == double{*std::max_element(all.begin(), all.end())});
  RC_ASSERT(
      std::is_sorted(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.value < b.value; }));
}

RC_GTEST_PROP(Statistics, MergeAsIfTheyHadSeenAll, (std::uint32_t seed)) {
  const std::vector<float> some = normal(50, 0.1F, seed);
  const std::vector<float> more = normal(50, 3, seed + 1);
  Statistics together = of(some);
  together.add(more);
  Statistics merged = of(some);
  merged.add(of(more));
  const auto a = together.groups();
  const auto b = merged.groups();
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(a[i].count == b[i].count);
    RC_ASSERT(std::abs(a[i].value - b[i].value) < 1e-9);
  }
}

RC_GTEST_PROP(Range, ZeroIsExactAndAllIsWithinHalfAStepMore, (std::uint32_t seed)) {
  std::vector<float> values = normal(200, 2, seed);
  for (float& value : values) {
    value += static_cast<float>(seed % 5) - 2;
  }
  const Statistics statistics = of(values);
  const Range range = choose_range(statistics, Calibration::kMinMax, 100);
  RC_ASSERT(range.low == std::min(statistics.min(), 0.0));
  RC_ASSERT(range.high == std::max(statistics.max(), 0.0));
  const graph::Quantization q = int8_quantization(range);
  const double half = 0.51 * double{q.scale[0]};
  RC_ASSERT(q.zero_point[0] >= -128);
  RC_ASSERT(q.zero_point[0] <= 127);
  RC_ASSERT(std::abs(real(-128, q) - range.low) <= half);
  RC_ASSERT(std::abs(real(127, q) - range.high) <= half);
}

TEST(Range, PixelsAreExact) {
  const Statistics statistics = of({0, 17, 255});
  for (const Calibration calibration : {Calibration::kMinMax, Calibration::kMeanSquareError}) {
    const graph::Quantization q = int8_quantization(choose_range(statistics, calibration, 100));
    EXPECT_EQ(q.scale[0], 1.0F);
    EXPECT_EQ(q.zero_point[0], -128);
  }
}

TEST(Range, PercentileExcludesOutliers) {
  std::vector<float> values(998, 1.0F);
  std::fill(values.begin(), values.begin() + 499, -2.0F);
  values.push_back(100);
  values.push_back(-100);
  const Range all = choose_range(of(values), Calibration::kPercentile, 100);
  EXPECT_EQ(all.low, -100);
  EXPECT_EQ(all.high, 100);
  const Range most = choose_range(of(values), Calibration::kPercentile, 99.9);
  EXPECT_EQ(most.low, -2);
  EXPECT_EQ(most.high, 1);
}

RC_GTEST_PROP(Range, LeastErrorIsNoWorseThanAnyOther, (std::uint32_t seed)) {
  std::vector<float> values = normal(2000, 1, seed);
  values.push_back(static_cast<float>(seed % 40));
  const Statistics statistics = of(values);
  const auto groups = statistics.groups();
  const auto error = [&](Calibration calibration, double percentile) {
    return mean_square_error(groups, int8_quantization(choose_range(statistics, calibration, percentile)));
  };
  const double least = error(Calibration::kMeanSquareError, 100);
  RC_ASSERT(least <= error(Calibration::kMinMax, 100));
  RC_ASSERT(least <= 1.05 * error(Calibration::kPercentile, 99.9));
}

TEST(Range, AllZeros) {
  for (const auto& statistics : {Statistics{}, of({0, 0})}) {
    for (const Calibration calibration :
         {Calibration::kMinMax, Calibration::kPercentile, Calibration::kMeanSquareError}) {
      const graph::Quantization q = int8_quantization(choose_range(statistics, calibration, 99));
      EXPECT_EQ(q.scale[0], 1.0F);
      EXPECT_EQ(q.zero_point[0], 0);
    }
  }
}

TEST(Range, TinyValuesHaveLegalScale) {
  const graph::Quantization q = int8_quantization(choose_range(of({1e-38F, -1e-40F}), Calibration::kMinMax, 100));
  EXPECT_EQ(q.scale[0], 1e-30F);
}

}  // namespace
}  // namespace systole::quantizer
