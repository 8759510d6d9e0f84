// SPDX-License-Identifier: Apache-2.0
// Sums and products defined in float32, on a device that computes in integers: right for every pair of bytes, or
// refused.
#include "exact_pairs.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "elementwise.hpp"
#include "seed.hpp"

namespace systole::network {
namespace {

/// Dequantized, combined and quantized in float32, ties to even, as ONNX defines it.
template <class Combine>
PairResults in_float(const PairQuantization& q, const Combine& combine) {
  PairResults results;
  for (int a = -128; a < 128; ++a) {
    for (int b = -128; b < 128; ++b) {
      const float real = combine(static_cast<float>(a - q.lhs.zero_point) * q.lhs.scale,
                                 static_cast<float>(b - q.rhs.zero_point) * q.rhs.scale);
      const float steps = std::nearbyint(real / q.output.scale) + static_cast<float>(q.output.zero_point);
      results.push_back(static_cast<std::int8_t>(std::clamp(steps, -128.0F, 127.0F)));
    }
  }
  return results;
}

/// All pairs as tensors.
golden::Tensor8 operand(bool left) {
  golden::Tensor8 tensor(golden::NhwcShape{1, 1, 256, 256});
  for (std::size_t i = 0; i < tensor.data.size(); ++i) {
    tensor.data[i] = static_cast<std::int8_t>((left ? i / 256 : i % 256) - 128);
  }
  return tensor;
}

class Scales {
 public:
  explicit Scales(std::uint64_t seed) : random_(seed) {}
  PairQuantization next(double output) {
    const auto point = [&] { return static_cast<int>(random_() % 256) - 128; };
    std::uniform_real_distribution<float> real(0.01F, 0.1F);
    const float lhs = real(random_), rhs = real(random_);
    return {{lhs, point()}, {rhs, point()}, {real(random_) * static_cast<float>(output), point()}};
  }

 private:
  std::mt19937_64 random_;
};

constexpr int kRounds = 60;

TEST(ExactPairs, OfSumsAreNearlyAlwaysFound) {
  Scales scales(test::seed());
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    const PairQuantization q = scales.next(1);
    const PairResults wanted = in_float(q, [](float a, float b) { return a + b; });
    if (const auto p = find_addition(wanted, q)) {
      ++found;
      ASSERT_EQ(golden::add(operand(true), operand(false), *p).data, wanted)
          << "scales " << q.lhs.scale << ", " << q.rhs.scale << " to " << q.output.scale;
    }
  }
  fmt::print("{} of {} sums\n", found, kRounds);
  EXPECT_GE(found, kRounds * 9 / 10);
}

TEST(ExactPairs, OfProductsAreOftenFound) {
  Scales scales(test::seed());
  int found = 0;
  for (int round = 0; round < kRounds; ++round) {
    const PairQuantization q = scales.next(4);
    const PairResults wanted = in_float(q, [](float a, float b) { return a * b; });
    if (const auto p = find_multiplication(wanted, q)) {
      ++found;
      ASSERT_EQ(golden::multiply(operand(true), operand(false), *p).data, wanted);
    }
  }
  fmt::print("{} of {} products\n", found, kRounds);
  EXPECT_GE(found, kRounds / 2);
}

TEST(ExactPairs, KeepRangeOfActivation) {
  const PairQuantization q{{0.0513F, 3}, {0.0397F, -7}, {0.0611F, 10}};
  const PairResults wanted = in_float(q, [](float a, float b) { return std::clamp(a + b, 0.0F, 6.0F); });
  const auto params = find_addition(wanted, q);
  ASSERT_TRUE(params.has_value());
  EXPECT_EQ(params->clamp_min, 10);
  EXPECT_EQ(params->clamp_max, 108);
}

TEST(ExactPairs, NotFoundForOtherFunctions) {
  const PairQuantization q{{0.05F, 3}, {0.04F, -7}, {0.06F, 10}};
  PairResults wanted = in_float(q, [](float a, float b) { return a + b; });
  wanted[256 * 131 + 121] ^= 1;  // of the two zero points, which is exact in every arithmetic
  EXPECT_FALSE(find_addition(wanted, q).has_value());
  EXPECT_FALSE(find_multiplication(wanted, q).has_value());
  wanted.pop_back();
  EXPECT_THROW(find_addition(wanted, q), std::invalid_argument);
}

}  // namespace
}  // namespace systole::network
