// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "random_tensors.hpp"

namespace systole::golden::test {
namespace {

TEST(Compare, NamesCountPlaceAndValues) {
  const Tensor8 expected(NhwcShape{2, 2, 3, 2});
  Tensor8 actual = expected;
  actual.at(1, 0, 2, 1) = -4;
  actual.at(1, 1, 0, 0) = 9;
  EXPECT_EQ(difference(expected, actual), "2 of 24 elements differ, first at [n 1, y 0, x 2, c 1]: expected 0, got -4");

  const Matrix32 wide(3, 4);
  Matrix32 other = wide;
  other.at(2, 1) = 1 << 30;
  EXPECT_EQ(difference(wide, other), "1 of 12 elements differ, first at [row 2, column 1]: expected 0, got 1073741824");
}

TEST(Compare, ShapesMatterEvenWhereDataIsEqual) {
  EXPECT_TRUE(difference(Tensor8(NhwcShape{1, 2, 3, 4}), Tensor8(NhwcShape{1, 3, 2, 4})));
  EXPECT_TRUE(difference(Tensor32(NhwcShape{1, 1, 2, 4}), Tensor32(NhwcShape{2, 1, 1, 4})));
  EXPECT_TRUE(difference(Matrix8(2, 3), Matrix8(3, 2)));
  EXPECT_TRUE(difference(Matrix32(6, 1), Matrix32(1, 6)));
}

TEST(Compare, ATruncatedBufferIsADifference) {
  const Tensor8 expected(NhwcShape{1, 1, 2, 2});
  Tensor8 actual = expected;
  actual.data.pop_back();
  EXPECT_TRUE(difference(expected, actual));
  EXPECT_TRUE(difference(actual, expected));
}

RC_GTEST_PROP(Compare, EveryFlippedBitIsFoundAtItsPlace, ()) {
  const NhwcShape shape{between(1, 2), between(1, 4), between(1, 4), between(1, 4)};
  const Tensor8 expected = random_tensor(shape);
  RC_ASSERT(!difference(expected, expected));
  for (std::size_t i = 0; i < expected.data.size(); ++i) {
    Tensor8 actual = expected;
    actual.data[i] = static_cast<std::int8_t>(actual.data[i] ^ (1 << between(0, 7)));
    const auto found = difference(expected, actual);
    RC_ASSERT(found.has_value());
    const std::string values = fmt::format("expected {}, got {}", int{expected.data[i]}, int{actual.data[i]});
    RC_ASSERT(found->find(values) != std::string::npos);
  }
}

}  // namespace
}  // namespace systole::golden::test
