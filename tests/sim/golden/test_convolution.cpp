// SPDX-License-Identifier: Apache-2.0
#include "convolution.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "compare.hpp"
#include "matmul.hpp"
#include "random_tensors.hpp"

namespace systole::golden::test {
namespace {

Convolution with_kernel_of(const Tensor8& weights) {
  Convolution convolution;
  convolution.window.kernel_h = weights.shape.height;
  convolution.window.kernel_w = weights.shape.width;
  return convolution;
}

TEST(Convolution, SmallByHand) {
  const Tensor8 input(NhwcShape{1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Tensor8 weights(NhwcShape{2, 2, 2, 1}, {1, 0, 0, 10, -1, 1, -1, 1});
  EXPECT_EQ(conv2d_raw(input, weights, {0, 100}, with_kernel_of(weights)).data,
            (std::vector<std::int32_t>{51, 102, 62, 102, 84, 102, 95, 102}));
}

TEST(Convolution, PaddingReadsTheZeroPoint) {
  const Tensor8 input(NhwcShape{1, 1, 1, 1}, {7});
  const Tensor8 weights(NhwcShape{1, 1, 3, 1}, {1, 2, 4});
  Convolution convolution = with_kernel_of(weights);
  convolution.window.pad_left = 2;
  convolution.window.pad_right = 1;
  convolution.input_zero_point = 5;
  EXPECT_EQ(conv2d_raw(input, weights, {}, convolution).data, (std::vector<std::int32_t>{8, 4}));
}

TEST(Convolution, SamePaddingPutsTheOddRowLast) {
  Window window;
  window.kernel_h = window.kernel_w = 3;
  window.stride_h = 2;
  const Window padded = with_same_padding(window, NhwcShape{1, 4, 5, 1});
  EXPECT_EQ(padded.pad_top, 0);
  EXPECT_EQ(padded.pad_bottom, 1);
  EXPECT_EQ(padded.pad_left, 1);
  EXPECT_EQ(padded.pad_right, 1);
  EXPECT_EQ(output_shape(NhwcShape{1, 4, 5, 1}, padded, 8), (NhwcShape{1, 2, 5, 8}));
}

TEST(Convolution, RefusesWhatDoesNotFit) {
  const Tensor8 input(NhwcShape{1, 4, 4, 6});
  const Tensor8 weights(NhwcShape{4, 3, 3, 3});
  Convolution convolution = with_kernel_of(weights);
  EXPECT_THROW(conv2d_raw(input, weights, {}, convolution), std::invalid_argument) << "channels";
  convolution.groups = 2;
  EXPECT_NO_THROW(conv2d_raw(input, weights, {}, convolution));
  EXPECT_THROW(conv2d_raw(input, weights, Bias(3), convolution), std::invalid_argument) << "bias";
  convolution.window.kernel_w = 2;
  EXPECT_THROW(conv2d_raw(input, weights, {}, convolution), std::invalid_argument) << "kernel";
  convolution.window.kernel_w = 3;
  convolution.window.dilation_h = 2;
  EXPECT_THROW(conv2d_raw(input, weights, {}, convolution), std::invalid_argument) << "reach";
  convolution.window.dilation_h = 1;
  convolution.window.stride_w = 0;
  EXPECT_THROW(conv2d_raw(input, weights, {}, convolution), std::invalid_argument) << "stride";
  EXPECT_THROW(depthwise_to_ohwi(weights), std::invalid_argument);
}

struct Case {
  Tensor8 input;
  Tensor8 weights;
  Bias bias;
  Convolution convolution;
};

Case random_case(int groups) {
  const int in_per_group = between(1, 4), out_per_group = between(1, 3);
  const NhwcShape kernel{groups * out_per_group, between(1, 3), between(1, 3), in_per_group};
  Case c{random_tensor(NhwcShape{between(1, 2), between(5, 8), between(5, 8), groups * in_per_group}),
         random_tensor(kernel),
         random_bias(kernel.batch),
         {}};
  c.convolution = with_kernel_of(c.weights);
  c.convolution.groups = groups;
  c.convolution.input_zero_point = between(-128, 127);
  Window& w = c.convolution.window;
  w.stride_h = between(1, 3);
  w.stride_w = between(1, 3);
  w.dilation_h = between(1, 2);
  w.dilation_w = between(1, 2);
  w.pad_top = between(0, 3);
  w.pad_bottom = between(0, 3);
  w.pad_left = between(0, 3);
  w.pad_right = between(0, 3);
  return c;
}

// im2col: one row per output position, in the order of the weights' taps.
Matrix8 gathered(const Case& c, const NhwcShape& out) {
  const Window& w = c.convolution.window;
  const NhwcShape& k = c.weights.shape;
  Matrix8 rows(out.batch * out.height * out.width, k.height * k.width * k.channels);
  std::size_t next = 0;
  for (int n = 0; n < out.batch; ++n) {
    for (int position = 0; position < out.height * out.width; ++position) {
      for (int tap = 0; tap < k.height * k.width; ++tap) {
        const int y = position / out.width * w.stride_h + tap / k.width * w.dilation_h - w.pad_top;
        const int x = position % out.width * w.stride_w + tap % k.width * w.dilation_w - w.pad_left;
        const bool inside = y >= 0 && x >= 0 && y < c.input.shape.height && x < c.input.shape.width;
        for (int i = 0; i < k.channels; ++i) {
          rows.data[next++] =
              inside ? c.input.at(n, y, x, i) : static_cast<std::int8_t>(c.convolution.input_zero_point);
        }
      }
    }
  }
  return rows;
}

RC_GTEST_PROP(Convolution, EqualsMatmulOfGatheredWindows, ()) {
  const Case c = random_case(1);
  const NhwcShape& k = c.weights.shape;
  const Tensor32 out = conv2d_raw(c.input, c.weights, c.bias, c.convolution);
  const Matrix8 filters(k.batch, k.height * k.width * k.channels, c.weights.data);
  const Bias folded = fold_input_zero_point(c.weights, c.bias, c.convolution.input_zero_point);
  const Matrix32 product = dense_raw(gathered(c, out.shape), filters, folded);
  RC_ASSERT(out.data == product.data);
}

Tensor8 channel_slice(const Tensor8& tensor, int first, int count) {
  Tensor8 out(NhwcShape{tensor.shape.batch, tensor.shape.height, tensor.shape.width, count});
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    const std::size_t pixel = i / std::size_t(count);
    out.data[i] = tensor.data[pixel * std::size_t(tensor.shape.channels) + std::size_t(first) + i % std::size_t(count)];
  }
  return out;
}

RC_GTEST_PROP(Convolution, GroupsAreSeparateConvolutions, ()) {
  const int groups = between(1, 4);
  const Case c = random_case(groups);
  const Requantize stage = random_stage(c.weights.shape.batch);
  const Tensor8 whole = conv2d(c.input, c.weights, c.bias, c.convolution, stage);
  const int ins = c.weights.shape.channels, outs = c.weights.shape.batch / groups;
  for (int g = 0; g < groups; ++g) {
    const auto part = [&](const auto& all) {
      const auto per_group = std::ptrdiff_t(all.size()) / groups;
      return std::decay_t<decltype(all)>(all.begin() + g * per_group, all.begin() + (g + 1) * per_group);
    };
    const Tensor8 weights(NhwcShape{outs, c.weights.shape.height, c.weights.shape.width, ins}, part(c.weights.data));
    Convolution single = c.convolution;
    single.groups = 1;
    Requantize own = stage;
    own.scale = part(stage.scale);
    const Tensor8 expected = conv2d(channel_slice(c.input, g * ins, ins), weights, part(c.bias), single, own);
    RC_ASSERT(!difference(expected, channel_slice(whole, g * outs, outs)));
  }
}

TEST(Convolution, DepthwiseKeepsChannelsApart) {
  // Two channels, multiplier 2: TensorFlow Lite's output channel is input channel * 2 + m.
  const Tensor8 input(NhwcShape{1, 1, 1, 2}, {3, 5});
  const Tensor8 weights = depthwise_to_ohwi(Tensor8(NhwcShape{1, 1, 1, 4}, {1, 10, 2, 20}));
  Convolution convolution = with_kernel_of(weights);
  convolution.groups = 2;
  EXPECT_EQ(conv2d_raw(input, weights, {}, convolution).data, (std::vector<std::int32_t>{3, 30, 10, 100}));
}

RC_GTEST_PROP(Convolution, WeightZeroPointShiftsEveryWeight, ()) {
  Case c = random_case(between(1, 2));
  const int zero_point = between(-3, 3);
  Tensor8 shifted = c.weights;
  for (std::size_t i = 0; i < shifted.data.size(); ++i) {
    c.weights.data[i] = static_cast<std::int8_t>(c.weights.data[i] / 2);
    shifted.data[i] = static_cast<std::int8_t>(c.weights.data[i] + zero_point);
  }
  Convolution asymmetric = c.convolution;
  asymmetric.weight_zero_point = zero_point;
  RC_ASSERT(!difference(conv2d_raw(c.input, c.weights, c.bias, c.convolution),
                        conv2d_raw(c.input, shifted, c.bias, asymmetric)));
}

}  // namespace
}  // namespace systole::golden::test
