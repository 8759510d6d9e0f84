// SPDX-License-Identifier: Apache-2.0
#include "scales.hpp"

#include <gtest/gtest.h>

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
