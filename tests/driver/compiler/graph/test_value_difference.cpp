// SPDX-License-Identifier: Apache-2.0
// The comparison with results of other projects: what it lets pass, and what not.
#include "value_difference.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

namespace systole::test {
namespace {

constexpr Tolerance kWide = {1e-6, 1e-3};
constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

TEST(ValueDifference, RealNumbersMayBeOff) {
  EXPECT_TRUE(within(1000.9, 1000.0, kWide));
  EXPECT_FALSE(within(1001.1, 1000.0, kWide));
  EXPECT_TRUE(within(1e-7, 0.0, kWide));
  EXPECT_FALSE(within(1.0000001, 1.0, {}));
}

TEST(ValueDifference, InfinitiesAndNansAreEqual) {
  const std::vector<double> numbers = {kInfinity, -kInfinity, kNan, 0, 1e308, -1e308};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      EXPECT_EQ(within(numbers[i], numbers[j], kWide), i == j) << numbers[i] << " for " << numbers[j];
    }
  }
}

TEST(ValueDifference, IntegersAreEqualToTheLastBit) {
  constexpr std::int64_t kLarge = (std::int64_t{1} << 62) + 1;  // more than a double holds
  EXPECT_TRUE(within(kLarge, kLarge, kWide));
  EXPECT_FALSE(within(kLarge - 1, kLarge, kWide));
}

TEST(ValueDifference, NamesTheFirstElement) {
  const auto value = [](std::int64_t last) {
    return graph::make_value(graph::ElementType::kInt64, {3}, std::vector<std::int64_t>{1, 2, last});
  };
  EXPECT_EQ(difference(value(3), value(3)), "");
  EXPECT_EQ(difference(value(4), value(3)), "element 2 is 4, expected 3");
  graph::Value flat = value(3);
  flat.shape = {1, 3};
  EXPECT_NE(difference(flat, value(3)), "");
}

}  // namespace
}  // namespace systole::test
