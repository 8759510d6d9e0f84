// SPDX-License-Identifier: Apache-2.0
#include "elementwise.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compare.hpp"
#include "random_tensors.hpp"
#include "scales.hpp"

namespace systole::golden::test {
namespace {

const UniformQuantization kUnit{1.0F, 0};

TEST(Add, OfEqualScalesIsPlainAddition) {
  const Tensor8 lhs(NhwcShape{1, 1, 1, 4}, {1, 100, -100, 7});
  const Tensor8 rhs(NhwcShape{1, 1, 1, 4}, {2, 100, -100, -7});
  EXPECT_EQ(add(lhs, rhs, add_params(kUnit, kUnit, kUnit)).data, (std::vector<std::int8_t>{3, 127, -128, 0}));
}

TEST(Add, UsesEachZeroPointAndScale) {
  // (30 - 10) * 0.5 + (-4 + 6) * 2 = 14 = 0.25 * (51 + 5)
  const Tensor8 lhs(NhwcShape{}, {30});
  const Tensor8 rhs(NhwcShape{}, {-4});
  EXPECT_EQ(add(lhs, rhs, add_params({0.5F, 10}, {2.0F, -6}, {0.25F, -5})).data[0], 51);
}

TEST(Add, RefusesScalesThatCouldOverflow) {
  AddParams params = add_params(kUnit, kUnit, kUnit);
  params.lhs_scale.shift = 1;
  EXPECT_THROW(add(Tensor8(), Tensor8(), params), std::invalid_argument);
  params = add_params(kUnit, kUnit, kUnit);
  params.rhs_zero_point = 200;
  EXPECT_THROW(add(Tensor8(), Tensor8(), params), std::invalid_argument);
}

float random_float_scale() { return std::ldexp(static_cast<float>(between(1, 1000)), -between(8, 14)); }

RC_GTEST_PROP(Add, IsTheRealSumToWithinOneStep, ()) {
  const UniformQuantization lhs{random_float_scale(), between(-128, 127)};
  const UniformQuantization rhs{random_float_scale(), between(-128, 127)};
  const UniformQuantization out{random_float_scale(), between(-128, 127)};
  const Tensor8 a = random_tensor(NhwcShape{});
  const Tensor8 b = random_tensor(NhwcShape{});
  const double real =
      double(lhs.scale) * (a.data[0] - lhs.zero_point) + double(rhs.scale) * (b.data[0] - rhs.zero_point);
  const double exact = std::clamp(real / double(out.scale) + out.zero_point, -128.0, 127.0);
  AddParams params = add_params(lhs, rhs, out);
  params.rounding = random_rounding();
  RC_ASSERT(std::abs(add(a, b, params).data[0] - exact) <= 0.76);
}

TEST(Multiply, UsesEachZeroPointAndScale) {
  // (30 - 10) * 0.5 * (-4 + 6) * 2 = 40 = 0.5 * (75 + 5)
  const Tensor8 lhs(NhwcShape{}, {30});
  const Tensor8 rhs(NhwcShape{}, {-4});
  EXPECT_EQ(multiply(lhs, rhs, multiply_params({0.5F, 10}, {2.0F, -6}, {0.5F, -5})).data[0], 75);
}

TEST(Multiply, ClampsAndRefuses) {
  const Tensor8 lhs(NhwcShape{1, 1, 1, 2}, {100, -100});
  EXPECT_EQ(multiply(lhs, lhs, multiply_params(kUnit, kUnit, kUnit, {0, 50})).data, (std::vector<std::int8_t>{50, 50}));
  MultiplyParams params = multiply_params(kUnit, kUnit, kUnit);
  params.output_scale.shift = 31;
  EXPECT_THROW(multiply(lhs, lhs, params), std::invalid_argument);
}

TEST(Elementwise, RepeatsDimensionsOfOne) {
  const Tensor8 image(NhwcShape{1, 2, 1, 2}, {1, 2, 3, 4});
  const Tensor8 column(NhwcShape{1, 1, 2, 1}, {50, 60});
  EXPECT_EQ(add(image, column, add_params(kUnit, kUnit, kUnit)).data,
            (std::vector<std::int8_t>{51, 52, 61, 62, 53, 54, 63, 64}));
  const Tensor8 per_channel(NhwcShape{1, 1, 1, 2}, {10, 20});
  const std::vector<std::int8_t> expected{11, 22, 13, 24};
  EXPECT_EQ(add(image, per_channel, add_params(kUnit, kUnit, kUnit)).data, expected);
  EXPECT_EQ(add(per_channel, image, add_params(kUnit, kUnit, kUnit)).data, expected);
  EXPECT_THROW(add(image, Tensor8(NhwcShape{1, 1, 1, 3}), add_params(kUnit, kUnit, kUnit)), std::invalid_argument);
}

TEST(Lookup, IndexIsTheUnsignedByte) {
  LookupTable table{};
  table[0] = 10;
  table[127] = 11;
  table[128] = 12;
  table[255] = 13;
  const Tensor8 input(NhwcShape{1, 1, 2, 2}, {0, 127, -128, -1});
  EXPECT_EQ(lookup(input, table).data, (std::vector<std::int8_t>{10, 11, 12, 13}));
}

RC_GTEST_PROP(Lookup, TableOfAFunctionAppliesIt, ()) {
  const Tensor8 input = random_tensor(NhwcShape{1, 2, 3, 4});
  const auto function = [](std::int8_t value) { return static_cast<std::int8_t>(value / 2 - 5); };
  const Tensor8 actual = lookup(input, make_lookup_table(function));
  for (std::size_t i = 0; i < input.data.size(); ++i) {
    RC_ASSERT(actual.data[i] == function(input.data[i]));
  }
}

}  // namespace
}  // namespace systole::golden::test
