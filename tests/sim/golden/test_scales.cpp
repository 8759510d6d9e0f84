// SPDX-License-Identifier: Apache-2.0
#include "scales.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "seed.hpp"

namespace systole::golden::test {
namespace {

TEST(Scales, ConvolutionMultipliesInDouble) {
  const float input = 0.1F, weight = 0.003F, output = 0.07F;
  EXPECT_EQ(convolution_scales(input, {weight, 1.0F}, output),
            (std::vector<QuantParam>{quantize_multiplier(double{input} * double{weight} / double{output}),
                                     quantize_multiplier(double{input} / double{output})}));
}

TEST(Scales, DenseMultipliesInFloatFirst) {
  // Scales for which the two orders differ, so that using the wrong one is detected.
  const float input = 0.1F, weight = 0.003F, output = 0.07F;
  const float product = input * weight;
  EXPECT_EQ(dense_scale(input, weight, output), quantize_multiplier(double{product} / double{output}));
  EXPECT_NE(dense_scale(input, weight, output), convolution_scales(input, {weight}, output).front());
}

TEST(Scales, AnExactFactorRoundsAsTheRealNumber) {
  std::mt19937 random(systole::test::seed());
  const Clamp clamp{-128, 127};
  int found = 0, differs_from_nearest = 0;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    // A power of two has ties, of both signs, among its sums.
    const double real = std::exp2(std::uniform_real_distribution<>(-14, 1)(random));
    const double scale = round % 2 == 0 ? std::exp2(std::floor(std::log2(real))) : real;
    const int zero_point = std::uniform_int_distribution<>(-128, 127)(random);
    const std::optional<QuantParam> factor = exact_factor(scale, zero_point, clamp);
    if (!factor) {
      continue;
    }
    ++found;
    for (int step = -300; step <= 300; ++step) {
      for (int near = -2; near <= 2; ++near) {
        const auto sum = static_cast<std::int32_t>(std::llround((step + 0.5) / scale)) + near;
        const std::int8_t wanted = requantize_once(sum, scale, zero_point, clamp);
        ASSERT_EQ(requantize(sum, *factor, zero_point, clamp.min, clamp.max, Rounding::kSingle), wanted)
            << sum << " times " << scale;
        differs_from_nearest +=
            requantize(sum, quantize_multiplier(scale), zero_point, clamp.min, clamp.max, Rounding::kSingle) != wanted;
      }
    }
  }
  EXPECT_GT(found, kRounds * 9 / 10);
  EXPECT_GT(differs_from_nearest, 0) << "no case shows that the nearest factor is not enough";
}

TEST(Scales, ASmallScaleMayHaveNoExactFactor) {
  int none = 0;
  for (int i = 0; i < 20; ++i) {
    none += exact_factor(3e-9 * (1 + i / 19.7), 0, {-128, 127}).has_value() ? 0 : 1;
  }
  EXPECT_GT(none, 0);
  EXPECT_TRUE(exact_factor(0.25, 0, {-128, 127}).has_value());
  EXPECT_EQ(requantize_once(-2, 0.25, 0, {}), -1) << "ties go away from zero";
  EXPECT_EQ(requantize_once(2, 0.25, 0, {}), 1);
}

TEST(Scales, AddBringsOperandsBelowOneHalf) {
  const AddParams params = add_params({0.5F, 1}, {0.125F, 2}, {0.25F, 3}, {-10, 10});
  EXPECT_EQ(params.lhs_scale, quantize_multiplier(0.5));
  EXPECT_EQ(params.rhs_scale, quantize_multiplier(0.125));
  EXPECT_EQ(params.output_scale, quantize_multiplier(4.0 / (1 << kAddLeftShift)));
  EXPECT_EQ(params.lhs_zero_point, 1);
  EXPECT_EQ(params.rhs_zero_point, 2);
  EXPECT_EQ(params.output_zero_point, 3);
  EXPECT_EQ(params.clamp_min, -10);
  EXPECT_EQ(params.clamp_max, 10);
}

TEST(Scales, ActivationsBecomeClamps) {
  const auto range = [](Activation activation, const UniformQuantization& output) {
    const Clamp clamp = activation_clamp(activation, output);
    return std::pair<int, int>(clamp.min, clamp.max);
  };
  EXPECT_EQ(range(Activation::kNone, {0.1F, 5}), std::pair(-128, 127));
  EXPECT_EQ(range(Activation::kRelu, {0.1F, 5}), std::pair(5, 127));
  EXPECT_EQ(range(Activation::kRelu6, {0.1F, 5}), std::pair(5, 65));
  EXPECT_EQ(range(Activation::kRelu6, {6.0F / 255, -128}), std::pair(-128, 127));
  EXPECT_EQ(range(Activation::kReluN1To1, {0.1F, 5}), std::pair(-5, 15));
  EXPECT_EQ(range(Activation::kRelu6, {1e-9F, 5}), std::pair(5, 127));
}

}  // namespace
}  // namespace systole::golden::test
