// SPDX-License-Identifier: Apache-2.0
// 16-bit activations: known values, limits, and general properties.
#include "wide.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "elementwise16.hpp"
#include "fixed_point.hpp"
#include "functions16.hpp"

namespace systole::golden::test {
namespace {

constexpr QuantParam kHalf{1 << 30, 0};

TEST(Wide, SumsAreRoundedOnceTiesUp) {
  EXPECT_EQ(rescale_wide(3, kHalf), 2);
  EXPECT_EQ(rescale_wide(-3, kHalf), -1);
  EXPECT_EQ(rescale_wide(std::int64_t{1} << 40, {1 << 30, -15}), 1 << 24);
  EXPECT_EQ(rescale_wide(1, {1 << 30, 14}), 1 << 13);
}

TEST(Wide, MultipliersHave15Bits) {
  EXPECT_EQ(rescale_wide(1 << 20, {0x40007FFF, 0}), 1 << 19);         // rounded down
  EXPECT_EQ(rescale_wide(1 << 20, {0x40008000, 0}), (1 << 19) + 32);  // rounded up
  EXPECT_EQ(rescale_wide(1 << 20, {0x7FFFFFFF, 0}), 0x7FFF << 5);     // 2^15 would be one too many
}

TEST(Wide, WhatTheKernelsLeaveUndefinedIsRefused) {
  EXPECT_THROW(rescale_wide(std::int64_t{1} << 47, kHalf), std::invalid_argument);
  EXPECT_NO_THROW(rescale_wide(-(std::int64_t{1} << 47), {1 << 30, -31}));
  EXPECT_THROW(rescale_wide(-(std::int64_t{1} << 47) - 1, kHalf), std::invalid_argument);
  EXPECT_THROW(rescale_wide(1, {1 << 30, 15}), std::invalid_argument);
  EXPECT_THROW(check(WideBias{0, std::numeric_limits<std::int64_t>::max()}), std::invalid_argument);
}

TEST(Wide, ConvolutionsSumBeyond32Bits) {
  const Tensor16 input(NhwcShape{1, 1, 1, 3}, {32767, -32768, 5});
  const Tensor8 weights(NhwcShape{2, 1, 1, 3}, {127, -128, 0, 0, 0, 1});
  const Tensor64 sums = conv2d_wide(input, weights, {std::int64_t{1} << 40, -7}, {});
  EXPECT_EQ(sums.data, (std::vector<std::int64_t>{(std::int64_t{1} << 40) + 32767 * 127 + 32768 * 128, -2}));
  EXPECT_EQ(apply({{{1 << 30, -10}, kHalf}, {}, false}, sums.data, 2), (std::vector<std::int16_t>{32767, -1}));
  EXPECT_THROW(apply({{kHalf, kHalf, kHalf}, {}, false}, sums.data, 2), std::invalid_argument);
}

TEST(Wide, NarrowSumsKeepAllBitsOfTheMultiplier) {
  const std::vector<std::int64_t> sums = {1 << 20};
  EXPECT_EQ(apply({{{0x40007FFF, -5}}, {}, true}, sums, 1), (std::vector<std::int16_t>{16385}));
  EXPECT_EQ(apply({{{0x40007FFF, -5}}, {}, false}, sums, 1), (std::vector<std::int16_t>{16384}));
  EXPECT_EQ(apply({{{0x40017FFF, -4}}, {}, true}, sums, 1), (std::vector<std::int16_t>{32767}));
  EXPECT_EQ(apply({{kHalf}, {-100, 100}, true}, {(std::int64_t{1} << 32) + 10}, 1),
            (std::vector<std::int16_t>{5}));  // wraps
}

TEST(Wide, ActivationsAreRanges) {
  const auto of = [](Activation activation, float scale) {
    const Clamp16 clamp = activation_clamp16(activation, scale);
    return std::pair<int, int>(clamp.min, clamp.max);
  };
  EXPECT_EQ(of(Activation::kNone, 1), std::pair(-32768, 32767));
  EXPECT_EQ(of(Activation::kRelu, 1), std::pair(0, 32767));
  EXPECT_EQ(of(Activation::kRelu6, 0.001F), std::pair(0, 6000));
  EXPECT_EQ(of(Activation::kRelu6, 1e-7F), std::pair(0, 32767));
  EXPECT_EQ(of(Activation::kReluN1To1, 0.001F), std::pair(-1000, 1000));
}

TEST(Elementwise16, SumsDifferencesAndProducts) {
  const Elements16 a = {100, -32768, 32767, 3};
  const Elements16 b = {-50, -32768, 32767, 4};
  EXPECT_EQ(add16(a, b, add_params16(0.5F, 0.5F, 0.5F)), (Elements16{50, -32768, 32767, 7}));
  EXPECT_EQ(subtract16(a, b, add_params16(0.5F, 0.5F, 0.5F)), (Elements16{150, 0, 0, -1}));
  EXPECT_EQ(squared_difference16(a, b, squared_difference_params16(0.5F, 0.5F, 0.25F)), (Elements16{22500, 0, 0, 0}));
  EXPECT_EQ(multiply16(a, b, kHalf, {-1000, 1000}), (Elements16{-1000, 1000, 1000, 6}));
  EXPECT_THROW(add16(a, {1}, add_params16(1, 1, 1)), std::invalid_argument);
}

TEST(Elementwise16, DifferencesDivideScalesInDouble) {
  // As TensorFlow Lite computes them; with scales divided in float32 each is 1 off.
  EXPECT_EQ(subtract16({4661}, {-12764}, add_params16(0.013250791F, 0.289289F, 0.524446F)), Elements16{7158});
  EXPECT_EQ(subtract16({18669}, {-32398}, add_params16(0.04243646F, 0.041965935F, 0.09096268F)), Elements16{23657});
  EXPECT_EQ(subtract16({-32728}, {7180}, add_params16(0.14890863F, 0.012192833F, 0.3039565F)), Elements16{-16322});
}

TEST(Elementwise16, SlopesBelowZero) {
  const Elements16 input = {-100, 0, 100};
  EXPECT_EQ(leaky_relu16(input, 0.1F, 0.1F, 0.25F), (Elements16{-25, 0, 100}));
  EXPECT_EQ(leaky_relu16(input, 0.1F, 0.1F, -0.25F), (Elements16{25, 0, 100}));
  EXPECT_EQ(prelu16(input, {4, 5, 6}, 0.1F, {0.5F, 0}, 0.1F), (Elements16{-200, 0, 100}));
  EXPECT_THROW(prelu16(input, {4}, 0.1F, {0.5F, 0}, 0.1F), std::invalid_argument);
}

TEST(Elementwise16, MeansAndSums) {
  EXPECT_EQ(summarize16({10, 9, -10, -9}, 4, 1, 1, Summary::kMean), (Elements16{3, 3, -3, -2}));
  EXPECT_EQ(summarize16({10, 40000}, 4, 1, 1, Summary::kSum), (Elements16{10, 32767}));
}

TEST(Functions16, SigmoidPointsRiseToTheLargest) {
  const auto& points = sigmoid_points();
  EXPECT_EQ(points[0], 32768);
  EXPECT_EQ(points[1], 33451);
  EXPECT_EQ(points[28], 49975);  // the function itself is 49973.95
  EXPECT_EQ(points[254], 65534);
  EXPECT_EQ(points[255], 65535);
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end()));
}

TEST(Functions16, SigmoidsAreNearAndSaturate) {
  for (const float scale : {1.0F / 4096, 1.0F / 2048, 0.0004F, 0.01F}) {
    const PointScale logistic = logistic_scale(scale);
    const PointScale tanh = tanh_scale(scale);
    for (int value = -32768; value <= 32767; value += 97) {
      const double x = double{scale} * value;
      EXPECT_NEAR(logistic16(static_cast<std::int16_t>(value), logistic), 32768 / (1 + std::exp(-x)), 12)
          << scale << ' ' << value;
      EXPECT_NEAR(tanh16(static_cast<std::int16_t>(value), tanh), 32768 * std::tanh(x), 24) << scale << ' ' << value;
    }
  }
  EXPECT_EQ(logistic16(32767, logistic_scale(1)), 32767);
  EXPECT_EQ(logistic16(-32768, logistic_scale(1)), 1);
  EXPECT_EQ(tanh16(32767, tanh_scale(1)), 32767);
  EXPECT_EQ(tanh16(-32768, tanh_scale(1)), -32767);
  EXPECT_THROW(tanh_scale(5.5F), std::invalid_argument);
  EXPECT_THROW(tanh_scale_of_power(3), std::invalid_argument);
}

RC_GTEST_PROP(Functions16, SoftmaxIsMonotoneAndSumsToOne, ()) {
  const auto input = *rc::gen::container<std::vector<std::int16_t>>(10, rc::gen::arbitrary<std::int16_t>());
  const float scale = static_cast<float>(*rc::gen::inRange(1, 2000)) / 1000000.0F;
  const std::vector<std::int16_t> out = softmax16(input, 10, scale, 1.0F);
  RC_ASSERT(std::abs(std::accumulate(out.begin(), out.end(), 0) - 32768) <= 20);
  for (std::size_t i = 0; i + 1 < 10; ++i) {
    RC_ASSERT((input[i] <= input[i + 1] ? out[i] <= out[i + 1] : out[i] >= out[i + 1]));
  }
}

TEST(Functions16, SoftmaxOfEqualValues) {
  EXPECT_EQ(softmax16({7, 7, 7, 7, -9, -9, -9, -9}, 4, 0.01F, 1), (std::vector<std::int16_t>(8, 8192)));
  EXPECT_THROW(softmax16({1, 2, 3}, 2, 0.01F, 1), std::invalid_argument);
  EXPECT_THROW(softmax16({}, 0, 0.01F, 1), std::invalid_argument);
  const Tensor8 bytes(NhwcShape{1, 1, 1, 4}, {7, 7, 7, 7});
  EXPECT_EQ(softmax_to_int16(bytes, 0.5F, 1).data, (std::vector<std::int16_t>(4, -16384)));
  const Tensor8 long_rows(NhwcShape{1, 1, 2, 16384});  // 65536 / 16384 is 4
  EXPECT_EQ(softmax_to_int16(long_rows, 0.5F, 1).data, (std::vector<std::int16_t>(32768, -32764)));
}

}  // namespace
}  // namespace systole::golden::test
