// SPDX-License-Identifier: Apache-2.0
// Arithmetic without recorded results, against real numbers; operators with recorded results are tested in
// tests/driver/compiler/frontends/tflite.
#include "arithmetic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "elementwise16.hpp"
#include "inverse_root.hpp"
#include "log_softmax.hpp"
#include "rescale.hpp"

namespace systole::golden::test {
namespace {

Tensor8 row(std::vector<std::int8_t> values) {
  const int size = static_cast<int>(values.size());
  return {{1, 1, 1, size}, std::move(values)};
}

TEST(Arithmetic, QuotientsAreTheRealOnes) {
  const UniformQuantization a{0.05F, -3};
  const UniformQuantization b{0.02F, 4};
  const UniformQuantization c{0.7F, -7};
  for (int x = -128; x < 128; ++x) {
    for (int y = -128; y < 128; ++y) {
      if (y == b.zero_point) {
        continue;
      }
      const double real = double{a.scale} * (x - a.zero_point) / (double{b.scale} * (y - b.zero_point));
      const double steps = std::clamp(real / double{c.scale} + c.zero_point, -128.0, 127.0);
      const Tensor8 quotient =
          divide(row({static_cast<std::int8_t>(x)}), row({static_cast<std::int8_t>(y)}), a, b, c, {});
      ASSERT_LE(std::abs(quotient.data[0] - steps), 0.5001) << x << " / " << y;
    }
  }
}

TEST(Arithmetic, QuotientsAreClampedAndNotByZero) {
  const UniformQuantization q{1.0F, 0};
  EXPECT_EQ(divide(row({100}), row({-2}), q, q, q, {-10, 10}).data[0], -10);
  EXPECT_THROW(divide(row({100}), row({0}), q, q, q, {}), std::invalid_argument);
  EXPECT_THROW(divide(row({1}), row({1}), {1e6F, 0}, {1e-6F, 0}, q, {}), std::invalid_argument);
}

TEST(Arithmetic, RootsAreTheRealOnes) {
  const UniformQuantization from{0.04F, -128};
  const UniformQuantization to{0.05F, -100};
  for (int x = -127; x < 128; ++x) {
    const double steps =
        std::clamp(1 / std::sqrt(double{from.scale} * (x + 128)) / double{to.scale} - 100, -128.0, 127.0);
    EXPECT_LE(std::abs(rsqrt(row({static_cast<std::int8_t>(x)}), from, to).data[0] - steps), 0.501) << x;
  }
  EXPECT_EQ(rsqrt(row({-128}), from, to).data[0], 127);
  EXPECT_THROW(rsqrt(row({-3}), {1.0F, 0}, to), std::invalid_argument);
}

TEST(Arithmetic, ComparisonsTakeScalesBelowOne) {
  const auto truths = [](float scale) { return related(row({4}), row({2}), {0.25F, 0}, {scale, 0}, Relation::kEqual); };
  EXPECT_EQ(truths(0.5F)[0], 1);
  EXPECT_EQ(truths(0.25F)[0], 0);
  EXPECT_THROW(truths(1.0F), std::invalid_argument);
}

TEST(Arithmetic, LimitsOfRows) {
  EXPECT_THROW(log_softmax(Tensor8({1, 1, 1, 4096}), 0.1F), std::invalid_argument);
  EXPECT_THROW(log_softmax(row({1, 2}), 1e-9F), std::invalid_argument);
  EXPECT_THROW(l2_normalize(Tensor8({1, 1, 1, 33026}), 0), std::invalid_argument);
  EXPECT_EQ(l2_normalize(row({3, 4}), 0).data, (std::vector<std::int8_t>{77, 102}));
}

TEST(Arithmetic, NegativeSlopesOfLeakyRelu) {
  const LookupTable table = leaky_relu_table({0.5F, 0}, {0.5F, 0}, -0.5F);
  EXPECT_EQ(table[static_cast<std::uint8_t>(-10)], 5);
  EXPECT_EQ(table[10], 10);
}

// -17 x -0.25 is 4.25. A product of 17 and 0.25 that is rounded twice would be 5.
TEST(Arithmetic, ProductsWithNegativeSlopesAreNegatedAfterRounding) {
  const LookupTable table = leaky_relu_table({0.25F, 0}, {0.25F, 0}, -0.25F);
  EXPECT_EQ(table[static_cast<std::uint8_t>(-17)], 4);
  EXPECT_EQ(leaky_relu16({-17}, 0.25F, 0.25F, -0.25F), Elements16{4});
}

// In float32 0.25 / 0.1 is 2.5; in double it is less, as 0.1F is more than 0.1.
TEST(Arithmetic, ScalesOfLeakyReluAreDividedInFloat32) {
  EXPECT_EQ(leaky_relu_table({0.25F, 0}, {0.1F, 0}, 0.5F)[1], 3);
  EXPECT_EQ(leaky_relu16({1}, 0.25F, 0.1F, 0.5F), Elements16{3});
}

}  // namespace
}  // namespace systole::golden::test
