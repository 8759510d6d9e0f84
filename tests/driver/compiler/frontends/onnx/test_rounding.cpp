// SPDX-License-Identifier: Apache-2.0
// Difference between the device's multiplier and shift and a float32 product. ONNX's reference multiplies the sum, as
// float32, by the scale, as float32, which rounds once before the rounding to an integer; the device rounds the exact
// product.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "scales.hpp"
#include "seed.hpp"

namespace systole {
namespace {

struct Counts {
  int all = 0;
  int differ = 0;
  std::int64_t worst = 0;
};

/// Sums of up to `magnitude`, with scales that give 8-bit results.
Counts compare(std::int32_t magnitude, int rounds, std::mt19937& random) {
  std::uniform_int_distribution<std::int32_t> sums(-magnitude, magnitude);
  std::uniform_real_distribution<float> mantissas(0.5F, 1.0F);
  Counts counts;
  for (int i = 0; i < rounds; ++i) {
    const std::int32_t sum = sums(random);
    const float scale = mantissas(random) * 128.0F / static_cast<float>(magnitude);
    const auto real = static_cast<std::int64_t>(std::nearbyint(static_cast<float>(sum) * scale));
    const QuantParam param = golden::float_scales(scale, {1.0F}, 1.0F).front();
    const std::int64_t exact = multiply_by_quantized_multiplier(sum, param, Rounding::kEven);
    ++counts.all;
    counts.differ += real != exact ? 1 : 0;
    counts.worst = std::max(counts.worst, std::abs(real - exact));
  }
  return counts;
}

TEST(Rounding, RarelyDiffersFromFloat32ByOne) {
  std::mt19937 random(test::seed());
  for (const std::int32_t magnitude : {1 << 12, 1 << 16, 1 << 20, 1 << 23, 1 << 27, 1 << 30}) {
    const Counts counts = compare(magnitude, 1'000'000, random);
    fmt::print("sums to {:>10}: {} of {} differ, by {} at most\n", magnitude, counts.differ, counts.all, counts.worst);
    EXPECT_LE(counts.worst, 1);
    EXPECT_LE(counts.differ, counts.all / 10'000);
  }
}

/// A tie of the float32 product that is not an exact tie: 2^24 + 1 has no float32.
TEST(Rounding, AnExampleOfTheDifference) {
  const std::int32_t sum = (1 << 24) + 1;
  const float scale = 2.5F / static_cast<float>(1 << 24);
  EXPECT_EQ(std::nearbyint(static_cast<float>(sum) * scale), 2.0F);
  EXPECT_EQ(multiply_by_quantized_multiplier(sum, golden::float_scales(scale, {1.0F}, 1.0F).front(), Rounding::kEven),
            3);
}

}  // namespace
}  // namespace systole
