// SPDX-License-Identifier: Apache-2.0
// The fast sums of products against the definition, element by element, and the threads that compute them.
#include "products.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

#include "convolution.hpp"
#include "matmul.hpp"
#include "parallel.hpp"
#include "seed.hpp"

namespace systole::golden::test {
namespace {

class Products : public testing::Test {
 protected:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::vector<std::int8_t> bytes(std::size_t count, bool extreme) {
    std::vector<std::int8_t> values(count);
    for (std::int8_t& value : values) value = static_cast<std::int8_t>(extreme ? -128 : between(-128, 127));
    return values;
  }
  Bias biases(int count) {
    Bias bias(std::size_t(between(0, 1) * count));
    for (std::int32_t& value : bias) value = static_cast<std::int32_t>(random_());
    return bias;
  }
  static std::int32_t start(const Bias& bias, int n) { return bias.empty() ? 0 : bias[std::size_t(n)]; }

  std::mt19937_64 random_{systole::test::seed()};
};

TEST_F(Products, OfMatricesAreTheDefinition) {
  for (int round = 0; round < 60; ++round) {
    const bool deep = round % 20 == 0;
    const int m = between(1, 20), k = deep ? between(4000, 9000) : between(1, 70), n = between(1, 20);
    const int a_zero = deep ? 127 : between(-128, 127), b_zero = between(-128, 127);
    const Matrix8 a(m, k, bytes(std::size_t(m) * std::size_t(k), deep)),
        b(k, n, bytes(std::size_t(k) * std::size_t(n), deep));
    const Bias bias = biases(n);
    const Matrix32 fast = matmul_raw(a, b, bias, a_zero, b_zero);
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        std::int64_t sum = start(bias, column);
        for (int i = 0; i < k; ++i) sum += std::int64_t{a.at(row, i) - a_zero} * (b.at(i, column) - b_zero);
        ASSERT_EQ(fast.at(row, column), wrap_to_int32(sum))
            << m << "x" << k << "x" << n << " at " << row << "," << column;
      }
    }
  }
}

TEST_F(Products, OfConvolutionsAreTheDefinition) {
  for (int round = 0; round < 80; ++round) {
    Convolution c;
    Window& w = c.window;
    w.kernel_h = between(1, 3), w.kernel_w = between(1, 3);
    w.stride_h = between(1, 2), w.stride_w = between(1, 2);
    w.dilation_h = between(1, 2), w.dilation_w = between(1, 2);
    w.pad_top = between(0, 2), w.pad_left = between(0, 2), w.pad_bottom = between(0, 2), w.pad_right = between(0, 2);
    const bool depthwise = round % 2 == 0;
    c.groups = depthwise ? between(1, 9) : between(1, 3);
    const int ins = depthwise ? 1 : between(1, 5), outs = depthwise ? 1 : between(1, 4);
    c.input_zero_point = between(-128, 127), c.weight_zero_point = between(-128, 127);
    const Tensor8 input(NhwcShape{2, 6, 7, c.groups * ins}, bytes(std::size_t(84 * c.groups * ins), false));
    const NhwcShape kernel{c.groups * outs, w.kernel_h, w.kernel_w, ins};
    const Tensor8 weights(kernel, bytes(kernel.size(), false));
    const Bias bias = biases(kernel.batch);
    const Tensor32 fast = conv2d_raw(input, weights, bias, c);
    for (int n = 0; n < 2; ++n) {
      for (int position = 0; position < fast.shape.height * fast.shape.width; ++position) {
        const int y = position / fast.shape.width, x = position % fast.shape.width;
        for (int o = 0; o < kernel.batch; ++o) {
          std::int64_t sum = start(bias, o);
          for (int tap = 0; tap < w.kernel_h * w.kernel_w * ins; ++tap) {
            const int i = tap % ins, kx = tap / ins % w.kernel_w, ky = tap / ins / w.kernel_w;
            const int in_y = y * w.stride_h + ky * w.dilation_h - w.pad_top;
            const int in_x = x * w.stride_w + kx * w.dilation_w - w.pad_left;
            if (in_y >= 0 && in_y < 6 && in_x >= 0 && in_x < 7) {
              sum += std::int64_t{input.at(n, in_y, in_x, o / outs * ins + i) - c.input_zero_point} *
                     (weights.at(o, ky, kx, i) - c.weight_zero_point);
            }
          }
          ASSERT_EQ(fast.at(n, y, x, o), wrap_to_int32(sum))
              << "round " << round << " at " << y << "," << x << "," << o;
        }
      }
    }
  }
}

TEST_F(Products, RefuseAZeroPointOutOfRange) {
  const Matrix8 one(1, 1, {1});
  EXPECT_THROW(matmul_raw(one, one, {}, 257), std::invalid_argument);
  EXPECT_THROW(matmul_raw(one, one, {}, 0, -257), std::invalid_argument);
}

TEST(Parallel, DoesEachPartOnce) {
  std::vector<std::atomic<int>> done(1000);
  parallel_for(done.size(), [&](std::size_t i) { ++done[i]; });
  parallel_ranges(done.size(), std::size_t{1} << 16, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) ++done[i];
  });
  for (const std::atomic<int>& times : done) EXPECT_EQ(times, 2);
  parallel_for(0, [](std::size_t) { FAIL(); });
}

TEST(Parallel, HasNoThreadsBelowThreads) {
  const InParallel guard;
  const auto here = std::this_thread::get_id();
  parallel_for(8, [&](std::size_t) { EXPECT_EQ(std::this_thread::get_id(), here); });
}

TEST(Parallel, HasAsManyThreadsAsItMay) {
  const std::size_t all = MostThreads::here();
  const MostThreads most(2);
  EXPECT_EQ(MostThreads::here(), std::min<std::size_t>(all, 2));
  {
    const MostThreads none(0), more(9);
    EXPECT_EQ(MostThreads::here(), 1U);
  }
  std::mutex mutex;
  std::set<std::thread::id> threads;
  parallel_for(64, [&](std::size_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  EXPECT_LE(threads.size(), 2U);
}

TEST(Parallel, PassesOnWhatAPartThrows) {
  EXPECT_THROW(parallel_for(64,
                            [](std::size_t i) {
                              if (i == 40) throw std::out_of_range("40");
                            }),
               std::out_of_range);
}

}  // namespace
}  // namespace systole::golden::test
