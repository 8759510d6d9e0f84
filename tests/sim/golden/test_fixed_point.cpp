// SPDX-License-Identifier: Apache-2.0
#include "fixed_point.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "rescale.hpp"

namespace systole::golden::test {
namespace {

std::int8_t of(const LookupTable& table, int value) { return table[static_cast<std::uint8_t>(value)]; }

TEST(FixedPoint, SigmoidsPassThroughTheirMiddleAndSaturate) {
  const LookupTable logistic = logistic_table({0.1F, 20});
  EXPECT_EQ(of(logistic, 20), 0);
  EXPECT_EQ(of(logistic, -128), -128);
  EXPECT_EQ(of(logistic, 127), 127);
  const LookupTable tanh = tanh_table({0.1F, -5});
  EXPECT_EQ(of(tanh, -5), 0);
  EXPECT_EQ(of(tanh, -128), -128);
  EXPECT_EQ(of(tanh, 127), 127);
}

TEST(FixedPoint, SigmoidsOfTinyAndHugeScales) {
  EXPECT_EQ(of(logistic_table({1e-9F, 0}), 127), 0);
  EXPECT_EQ(of(tanh_table({1e-9F, 0}), 127), 0);
  EXPECT_EQ(of(logistic_table({7.0F, 0}), 3), 127);
  EXPECT_THROW(logistic_table({9.0F, 0}), std::invalid_argument);
}

TEST(FixedPoint, HardSwishIsNothingBelowAndAllAbove) {
  const LookupTable table = hard_swish_table({0.05F, 0}, {0.05F, -10});
  EXPECT_EQ(of(table, -60), -10);
  EXPECT_EQ(of(table, -128), -10);
  EXPECT_EQ(of(table, 0), -10);
  EXPECT_EQ(of(table, 60), 50);
  EXPECT_EQ(of(table, 127), 117);
  EXPECT_THROW(hard_swish_table({1.0F, 0}, {1e-4F, 0}), std::invalid_argument);
}

TEST(FixedPoint, SoftmaxOfEqualValues) {
  const Tensor8 input(NhwcShape{1, 1, 2, 4}, {7, 7, 7, 7, -128, -128, 127, 127});
  EXPECT_EQ(softmax(input, 0.5F, 1.0F).data, (std::vector<std::int8_t>{-64, -64, -64, -64, -128, -128, 0, 0}));
  EXPECT_THROW(softmax(input, 1e-9F, 1.0F), std::invalid_argument);
  EXPECT_THROW(softmax(input, std::nanf(""), 1.0F), std::invalid_argument);
}

// For a sum of exponentials of 512 or more the reference kernel is undefined: no share exceeds half of a step.
TEST(FixedPoint, SoftmaxOfLongRows) {
  const std::map<int, int> expected = {{511, -127}, {512, -128}, {513, -128}, {1000, -128}, {4096, -128}};
  for (const auto& [length, value] : expected) {
    const Tensor8 zeros({1, 1, 1, length});
    const std::vector<std::int8_t> out = softmax(zeros, 0.1F, 1.0F).data;
    EXPECT_TRUE(std::all_of(out.begin(), out.end(), [&, most = value](std::int8_t v) { return v == most; }))
        << length << ": " << int{out[0]};
  }
  // One element holds nearly half of the sum.
  Tensor8 peak({1, 1, 1, 1024});
  peak.data[7] = 10;
  const double exponential = std::exp(6.0);
  const Tensor8 out = softmax(peak, 0.6F, 1.0F);
  EXPECT_EQ(out.data[7], static_cast<int>(std::round(256 * exponential / (exponential + 1023))) - 128);
  EXPECT_EQ(out.data[8], -128);
}

RC_GTEST_PROP(FixedPoint, SoftmaxIsMonotoneAndSumsToOne, ()) {
  const auto drawn = *rc::gen::container<std::vector<int>>(10, rc::gen::inRange(-128, 128));
  const float scale = static_cast<float>(*rc::gen::inRange(1, 2000)) / 1000.0F;
  const Tensor8 input(NhwcShape{1, 1, 1, 10}, std::vector<std::int8_t>(drawn.begin(), drawn.end()));
  const Tensor8 out = softmax(input, scale, 1.0F);
  int sum = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    sum += out.data[i] + 128;
    for (std::size_t k = 0; k < 10; ++k) {
      RC_ASSERT((input.data[i] <= input.data[k] ? out.data[i] <= out.data[k] : out.data[i] >= out.data[k]));
    }
  }
  RC_ASSERT(std::abs(sum - 256) <= 10);
}

TEST(Rescale, SameQuantizationChangesNothing) {
  Tensor8 all(NhwcShape{1, 1, 1, 256});
  for (int i = 0; i < 256; ++i) {
    all.data[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(i - 128);
  }
  EXPECT_EQ(rescale(all, rescale_params({0.3F, 7}, {0.3F, 7})).data, all.data);
  const LookupTable identity = leaky_relu_table({0.3F, 7}, {0.3F, 7}, 1.0F);
  EXPECT_EQ(lookup(all, identity).data, all.data);
}

TEST(Rescale, ClampsAndShifts) {
  const Tensor8 input(NhwcShape{1, 1, 1, 4}, {-128, 0, 10, 127});
  EXPECT_EQ(rescale(input, rescale_params({1.0F, 0}, {2.0F, -10}, {-10, 20})).data,
            (std::vector<std::int8_t>{-10, -10, -5, 20}));
}

// 0.25F / 0.1F is 2.49999996 in double and 2.5 in float32, so that 5 steps are 12.4999998 or 12.5 of the result.
TEST(Rescale, QuotientsAreRoundedToFloat32ForLimitsOnly) {
  const Tensor8 input(NhwcShape{1, 1, 1, 3}, {1, 5, 13});
  const UniformQuantization from{0.25F, 0}, to{0.1F, 0};
  EXPECT_EQ(rescale(input, rescale_params(from, to)).data, (std::vector<std::int8_t>{2, 12, 32}));
  EXPECT_EQ(rescale(input, float32_rescale_params(from, to)).data, (std::vector<std::int8_t>{3, 13, 33}));
}

TEST(Rescale, LeakyReluHasTwoSlopes) {
  const LookupTable table = leaky_relu_table({1.0F, 0}, {0.5F, 0}, 0.25F);
  EXPECT_EQ(of(table, 20), 40);
  EXPECT_EQ(of(table, -20), -10);
  EXPECT_EQ(of(leaky_relu_table({1.0F, 0}, {0.5F, 0}, -0.25F), -20), 10);
}

TEST(Rescale, MeansRoundTwice) {
  const RescaleParams params = rescale_params({1.0F, 0}, {1.0F, 0});
  EXPECT_EQ(summarize({10, 9, -10, 8}, 4, params, Summary::kMean), (std::vector<std::int8_t>{3, 3, -3, 2}));
  EXPECT_EQ(summarize({10, 900, -10}, 4, params, Summary::kSum), (std::vector<std::int8_t>{10, 127, -10}));
  EXPECT_EQ(summarize({40}, 4, rescale_params({1.0F, 4}, {0.5F, -1}), Summary::kMean), (std::vector<std::int8_t>{11}));
  EXPECT_THROW(summarize({1}, 0, params, Summary::kMean), std::invalid_argument);
}

TEST(Subtract, UsesEachZeroPointAndScale) {
  // (30 - 10) * 0.5 - (-4 + 6) * 2 = 6 = 0.25 * (19 + 5)
  const Tensor8 lhs(NhwcShape{}, {30});
  const Tensor8 rhs(NhwcShape{}, {-4});
  EXPECT_EQ(subtract(lhs, rhs, add_params({0.5F, 10}, {2.0F, -6}, {0.25F, -5})).data[0], 19);
}

TEST(Subtract, DividesScalesInDouble) {
  // Differences near a tie, as TensorFlow Lite computes them; with scales divided in float32 each is 1 off.
  const auto difference = [](std::int8_t a, const UniformQuantization& of_a, std::int8_t b,
                             const UniformQuantization& of_b, const UniformQuantization& output) {
    return subtract(Tensor8(NhwcShape{}, {a}), Tensor8(NhwcShape{}, {b}), add_params(of_a, of_b, output)).data[0];
  };
  EXPECT_EQ(difference(6, {0.008770619F, 28}, -13, {0.008346455F, 120}, {0.009035714F, -9}), 92);
  EXPECT_EQ(difference(8, {0.029939357F, -66}, -117, {0.020754753F, -119}, {0.034236267F, -50}), 13);
  EXPECT_EQ(difference(73, {2.1391861F, 20}, 87, {1.1320775F, -42}, {0.87096345F, 87}), 50);
}

TEST(Scales, OfOnnxAreFloat32) {
  const auto scales = float_scales(0.1F, {0.3F}, 0.7F);
  const float product = 0.1F * 0.3F;
  EXPECT_EQ(scales.at(0), quantize_multiplier(double{product / 0.7F}));
  EXPECT_NE(scales.at(0), convolution_scales(0.1F, {0.3F}, 0.7F).at(0));
}

}  // namespace
}  // namespace systole::golden::test
