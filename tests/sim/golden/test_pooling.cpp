// SPDX-License-Identifier: Apache-2.0
#include "pooling.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "compare.hpp"
#include "random_tensors.hpp"
#include "systole/requantize.hpp"

namespace systole::golden::test {
namespace {

Window square(int kernel, int stride, int pad) { return {kernel, kernel, stride, stride, 1, 1, pad, pad, pad, pad}; }

TEST(MaxPool, IgnoresPadding) {
  const Tensor8 input(NhwcShape{1, 2, 2, 1}, {-5, -6, -7, -128});
  EXPECT_EQ(max_pool(input, square(2, 1, 1)).data, (std::vector<std::int8_t>{-5, -5, -6, -5, -5, -6, -7, -7, -128}));
}

TEST(MaxPool, ClampsAndSeparatesChannels) {
  const Tensor8 input(NhwcShape{1, 1, 2, 2}, {1, 100, 2, -100});
  Window window;
  window.kernel_w = 2;
  EXPECT_EQ(max_pool(input, window, {2, 50}).data, (std::vector<std::int8_t>{2, 50}));
}

TEST(MaxPool, Dilates) {
  const Tensor8 input(NhwcShape{1, 1, 5, 1}, {1, 9, 2, 9, 3});
  Window window;
  window.kernel_w = 3;
  window.dilation_w = 2;
  EXPECT_EQ(max_pool(input, window).data, (std::vector<std::int8_t>{3}));
}

TEST(AveragePool, RoundsHalfAwayFromZero) {
  Window window;
  window.kernel_w = 2;
  window.stride_w = 2;
  const Tensor8 input(NhwcShape{1, 1, 8, 1}, {1, 2, -1, -2, -1, 0, 127, 127});
  EXPECT_EQ(average_pool(input, window).data, (std::vector<std::int8_t>{2, -2, -1, 127}));
}

TEST(AveragePool, DividesByWhatLiesInsideUnlessTold) {
  const Tensor8 input(NhwcShape{1, 2, 2, 1}, {8, 8, 8, 8});
  const Window window = square(2, 2, 1);  // each window holds one element of the image
  EXPECT_EQ(average_pool(input, window).data, (std::vector<std::int8_t>{8, 8, 8, 8}));
  EXPECT_EQ(average_pool(input, window, {}, PaddingCount::kInclude).data, (std::vector<std::int8_t>{2, 2, 2, 2}));
  EXPECT_EQ(average_pool(input, window, {}, PaddingCount::kInclude, 4).data, (std::vector<std::int8_t>{5, 5, 5, 5}));
  EXPECT_EQ(average_pool(input, window, {-128, 3}).data, (std::vector<std::int8_t>{3, 3, 3, 3}));
}

TEST(Pooling, RefusesAWindowOfPaddingOnly) {
  const Tensor8 input(NhwcShape{1, 2, 2, 1});
  EXPECT_THROW(max_pool(input, square(1, 1, 1)), std::invalid_argument);
  EXPECT_THROW(average_pool(input, square(2, 1, 2)), std::invalid_argument);
}

RC_GTEST_PROP(AveragePool, EqualsTheReciprocalOfEachCount, ()) {
  // As in the device: the plain sum times the reciprocal of the position's own count.
  const Tensor8 input = random_tensor(NhwcShape{1, between(3, 7), between(3, 7), 2});
  const int kernel = between(1, 3);
  const Window window = square(kernel, between(1, 3), between(0, kernel - 1));
  const Tensor8 actual = average_pool(input, window);
  for (int y = 0; y < actual.shape.height; ++y) {
    for (int x = 0; x < actual.shape.width; ++x) {
      for (int c = 0; c < 2; ++c) {
        int sum = 0, count = 0;
        for (int row = 0; row < input.shape.height; ++row) {
          for (int column = 0; column < input.shape.width; ++column) {
            const int dy = row - (y * window.stride_h - window.pad_top);
            const int dx = column - (x * window.stride_w - window.pad_left);
            if (dy >= 0 && dy < kernel && dx >= 0 && dx < kernel) {
              sum += input.at(0, row, column, c);
              ++count;
            }
          }
        }
        RC_ASSERT(actual.at(0, y, x, c) ==
                  requantize(sum, average_pool_reciprocal(count), 0, -128, 127, Rounding::kSingle));
      }
    }
  }
}

RC_GTEST_PROP(MaxPool, OfSeparableWindowsInTwoSteps, ()) {
  const Tensor8 input = random_tensor(NhwcShape{between(1, 2), between(4, 7), between(4, 7), between(1, 3)});
  const Window both = square(between(2, 3), between(1, 2), between(0, 1));
  Window rows = both, columns = both;
  rows.kernel_w = rows.stride_w = columns.kernel_h = columns.stride_h = 1;
  rows.pad_left = rows.pad_right = columns.pad_top = columns.pad_bottom = 0;
  RC_ASSERT(!difference(max_pool(input, both), max_pool(max_pool(input, rows), columns)));
}

}  // namespace
}  // namespace systole::golden::test
