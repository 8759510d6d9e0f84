// SPDX-License-Identifier: Apache-2.0
#include "convolution.hpp"

#include <fmt/core.h>

#include <stdexcept>

#include "matmul.hpp"
#include "wide.hpp"

namespace systole::golden {
namespace {

void check(const Shape& input, const Shape& weights, std::size_t bias_values, const Convolution& c) {
  if (c.window.kernel_h != weights.height || c.window.kernel_w != weights.width) {
    throw std::invalid_argument(fmt::format("window of {}x{} over weights of {}x{}", c.window.kernel_h,
                                            c.window.kernel_w, weights.height, weights.width));
  }
  if (c.groups < 1 || weights.batch % c.groups != 0 || input.channels != c.groups * weights.channels) {
    throw std::invalid_argument(fmt::format("{} groups do not divide {} input channels into {} and {} outputs",
                                            c.groups, input.channels, weights.channels, weights.batch));
  }
  if (bias_values != 0 && bias_values != std::size_t(weights.batch)) {
    throw std::invalid_argument(fmt::format("{} bias values for {} outputs", bias_values, weights.batch));
  }
}

// The sum of one output element, without bias.
template <class Element>
std::int64_t accumulate(const Tensor<Element>& input, const Tensor8& weights, const Convolution& c, int n, int y, int x,
                        int o) {
  const int first_channel = o / (weights.shape.batch / c.groups) * weights.shape.channels;
  std::int64_t sum = 0;
  for (int ky = 0; ky < weights.shape.height; ++ky) {
    for (int kx = 0; kx < weights.shape.width; ++kx) {
      const int in_y = input_y(c.window, y, ky);
      const int in_x = input_x(c.window, x, kx);
      if (!is_inside(input.shape, in_y, in_x)) {
        continue;
      }
      for (int i = 0; i < weights.shape.channels; ++i) {
        sum += std::int64_t{input.at(n, in_y, in_x, first_channel + i) - c.input_zero_point} *
               (weights.at(o, ky, kx, i) - c.weight_zero_point);
      }
    }
  }
  return sum;
}

template <class Sum, class Element, class BiasElement, class Finish>
Tensor<Sum> convolve(const Tensor<Element>& input, const Tensor8& weights, const std::vector<BiasElement>& bias,
                     const Convolution& c, Finish finish) {
  check(input.shape, weights.shape, bias.size(), c);
  Tensor<Sum> out(output_shape(input.shape, c.window, weights.shape.batch));
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      for (int x = 0; x < out.shape.width; ++x) {
        for (int o = 0; o < out.shape.channels; ++o) {
          const std::int64_t start = bias.empty() ? 0 : bias[std::size_t(o)];
          out.at(n, y, x, o) = finish(start + accumulate(input, weights, c, n, y, x, o));
        }
      }
    }
  }
  return out;
}

}  // namespace

Tensor32 conv2d_raw(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& convolution) {
  return convolve<std::int32_t>(input, weights, bias, convolution, wrap_to_int32);
}

Tensor64 conv2d_wide(const Tensor16& input, const Tensor8& weights, const WideBias& bias,
                     const Convolution& convolution) {
  check(bias);
  return convolve<std::int64_t>(input, weights, bias, convolution, [](std::int64_t sum) { return sum; });
}

Tensor8 conv2d(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& convolution,
               const OutputStage& stage) {
  return apply(stage, conv2d_raw(input, weights, bias, convolution));
}

Tensor8 depthwise_to_ohwi(const Tensor8& weights) {
  if (weights.shape.batch != 1) {
    throw std::invalid_argument(fmt::format("depthwise weights have a leading dimension of {}", weights.shape.batch));
  }
  Tensor8 out(Shape{weights.shape.channels, weights.shape.height, weights.shape.width, 1});
  for (int o = 0; o < out.shape.batch; ++o) {
    for (int ky = 0; ky < out.shape.height; ++ky) {
      for (int kx = 0; kx < out.shape.width; ++kx) {
        out.at(o, ky, kx, 0) = weights.at(0, ky, kx, o);
      }
    }
  }
  return out;
}

Bias fold_input_zero_point(const Tensor8& weights, const Bias& bias, std::int32_t input_zero_point) {
  const int taps = weights.shape.height * weights.shape.width * weights.shape.channels;
  return fold_input_zero_point(Matrix8(weights.shape.batch, taps, weights.data), bias, input_zero_point);
}

}  // namespace systole::golden
