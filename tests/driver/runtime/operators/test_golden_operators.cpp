// SPDX-License-Identifier: Apache-2.0
// Each operator on host tensors gives on the functional model the result of the golden model's function of the same
// name.
#include "systole/golden.hpp"
#include "systole/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>

namespace systole {
namespace {

BackendOptions tiny() {
  BackendOptions options;
  options.configuration = "tiny";
  return options;
}

class Golden : public testing::Test {
 protected:
  std::vector<std::int8_t> bytes(int count) {
    std::vector<std::int8_t> values(static_cast<std::size_t>(count));
    std::generate(values.begin(), values.end(), [&] { return static_cast<std::int8_t>(random_()); });
    return values;
  }
  HostTensor8 tensor(int batch, int height, int width, int channels) {
    return {batch, height, width, channels, bytes(batch * height * width * channels)};
  }

  template <class Element>
  static void expect_same(const HostTensor<Element>& actual, const HostTensor<Element>& expected) {
    EXPECT_EQ(actual.batch, expected.batch);
    EXPECT_EQ(actual.height, expected.height);
    EXPECT_EQ(actual.width, expected.width);
    EXPECT_EQ(actual.channels, expected.channels);
    EXPECT_EQ(actual.data, expected.data);
  }

  const Requantize requantize_{{quantize_multiplier(0.003)}, -7, -120, 100, Rounding::kEven};
  const std::vector<std::int32_t> bias_ = {300, -2000, 1, 0, 77};
  Device device_ = Device::open(tiny(), "model");

 private:
  std::mt19937 random_{1};
};

TEST_F(Golden, Matmul) {
  const auto a = bytes(6 * 7), b = bytes(7 * 5);
  expect_same(matmul(device_, a, b, 6, 7, 5, bias_, requantize_, 9).tensor,
              golden::matmul(a, b, 6, 7, 5, bias_, requantize_, 9));
  expect_same(matmul_raw(device_, a, b, 6, 7, 5).tensor, golden::matmul_raw(a, b, 6, 7, 5));
}

TEST_F(Golden, Conv2d) {
  const HostTensor8 input = tensor(2, 5, 6, 10);
  const auto weights = bytes(5 * 3 * 2 * 2);
  const ConvOptions options{{3, 2, 2, 1, 1, 2, 1, 0, 0, 1}, 5, 11};
  expect_same(conv2d(device_, input, weights, 5, bias_, options, requantize_).tensor,
              golden::conv2d(input, weights, 5, bias_, options, requantize_));
  expect_same(conv2d_raw(device_, input, weights, 5, bias_, options).tensor,
              golden::conv2d_raw(input, weights, 5, bias_, options));
}

TEST_F(Golden, Dense) {
  const auto input = bytes(3 * 9), weights = bytes(5 * 9);
  expect_same(dense(device_, input, weights, 3, 9, 5, bias_, -4, requantize_).tensor,
              golden::dense(input, weights, 3, 9, 5, bias_, -4, requantize_));
}

TEST_F(Golden, Pools) {
  const HostTensor8 input = tensor(2, 6, 5, 7);
  const Window window{3, 2, 2, 1, 1, 1, 1, 1, 0, 1};
  expect_same(max_pool(device_, input, window, -50, 60).tensor, golden::max_pool(input, window, -50, 60));
  expect_same(average_pool(device_, input, window, true, 13, -50, 60).tensor,
              golden::average_pool(input, window, true, 13, -50, 60));
  expect_same(average_pool(device_, input, window).tensor, golden::average_pool(input, window));
}

TEST_F(Golden, ElementWise) {
  const HostTensor8 lhs = tensor(1, 3, 4, 5), rhs = tensor(1, 3, 4, 5);
  const AddParams sum{1,
                      -2,
                      3,
                      quantize_multiplier(0.4),
                      quantize_multiplier(0.3),
                      quantize_multiplier(1.7 / (1 << 20)),
                      -90,
                      91,
                      Rounding::kSingle};
  expect_same(add(device_, lhs, rhs, sum).tensor, golden::add(lhs, rhs, sum));
  const MultiplyParams product{4, -5, 6, quantize_multiplier(0.01), -80, 81, Rounding::kDouble};
  expect_same(multiply(device_, lhs, rhs, product).tensor, golden::multiply(lhs, rhs, product));
  std::array<std::int8_t, 256> table{};
  std::generate(table.begin(), table.end(), [value = 0]() mutable { return static_cast<std::int8_t>(value += 31); });
  expect_same(lookup(device_, lhs, table).tensor, golden::lookup(lhs, table));
}

TEST_F(Golden, RefusesWrongShapes) {
  EXPECT_THROW(golden::matmul_raw(bytes(5), bytes(6), 2, 3, 2), std::invalid_argument);
  EXPECT_THROW(golden::conv2d_raw(tensor(1, 3, 3, 4), bytes(16), 4, {}, {{}, 0, 0}), std::invalid_argument);
  EXPECT_THROW(golden::lookup({1, 2, 2, 2, {}}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace systole
