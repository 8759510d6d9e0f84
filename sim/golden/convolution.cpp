// SPDX-License-Identifier: Apache-2.0
#include "convolution.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "matmul.hpp"
#include "parallel.hpp"
#include "products.hpp"
#include "systole/errors.hpp"
#include "wide.hpp"

namespace systole::golden {
namespace {

void check(const NhwcShape& input, const NhwcShape& weights, std::size_t bias_values, const Convolution& c) {
  if (c.window.kernel_h != weights.height || c.window.kernel_w != weights.width) {
    throw InvalidArgument(fmt::format("window of {}x{} over weights of {}x{}", c.window.kernel_h, c.window.kernel_w,
                                      weights.height, weights.width));
  }
  if (c.groups < 1 || weights.batch % c.groups != 0 || input.channels != c.groups * weights.channels) {
    throw InvalidArgument(fmt::format("{} groups do not divide {} input channels into {} and {} outputs", c.groups,
                                      input.channels, weights.channels, weights.batch));
  }
  if (bias_values != 0 && bias_values != std::size_t(weights.batch)) {
    throw InvalidArgument(fmt::format("{} bias values for {} outputs", bias_values, weights.batch));
  }
}

// The sum of one output element, without bias.
std::int64_t accumulate(const Tensor16& input, const Tensor8& weights, const Convolution& c, int n, int y, int x,
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

/// Computes the lines of the output in parallel. Each thread has its own Lines, whose line(n, y, sums) adds the
/// products of a line of output pixels.
template <class Lines>
Tensor32 convolve(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& c,
                  const Lines& lines) {
  Tensor32 out(output_shape(input.shape, c.window, weights.shape.batch));
  const auto channels = std::size_t(out.shape.channels), pitch = std::size_t(out.shape.width) * channels;
  const auto height = std::size_t(out.shape.height);
  const std::size_t taps = weights.shape.size() / std::max<std::size_t>(1, channels);
  parallel_ranges(std::size_t(out.shape.batch) * height, pitch * taps, [&](std::size_t first, std::size_t last) {
    Lines mine = lines;
    std::vector<std::uint32_t> sums(pitch);
    for (std::size_t line = first; line < last; ++line) {
      for (std::size_t i = 0; i < pitch; ++i) {
        sums[i] = bias.empty() ? 0 : static_cast<std::uint32_t>(bias[i % channels]);
      }
      mine.line(int(line / height), int(line % height), sums.data());
      std::transform(sums.begin(), sums.end(), out.data.begin() + std::ptrdiff_t(line * pitch),
                     [](std::uint32_t sum) { return static_cast<std::int32_t>(sum); });
    }
  });
  return out;
}

/// im2col: each output pixel is the product of its window, as a row, and the weights.
class WindowRows {
 public:
  WindowRows(const Tensor8& input, const Tensor8& weights, const Convolution& c)
      : input_(input),
        weights_(weights),
        c_(c),
        width_(output_shape(input.shape, c.window, 1).width),
        depth_(weights.shape.size() / std::max<std::size_t>(1, std::size_t(weights.shape.batch))),
        kernels_(std::make_shared<Rows16>(std::size_t(weights.shape.batch), depth_)),
        seen_(std::size_t(width_), depth_) {
    for (std::size_t o = 0; o < std::size_t(weights.shape.batch); ++o) {
      kernels_->set(o, 0, weights.data.data() + o * depth_, depth_, c.weight_zero_point);
    }
  }

  void line(int n, int y, std::uint32_t* sums) {
    const std::size_t outputs = std::size_t(weights_.shape.batch) / std::size_t(c_.groups);
    for (std::size_t g = 0; g < std::size_t(c_.groups); ++g) {
      gather(n, y, int(g) * weights_.shape.channels);
      add_products(seen_, 0, std::size_t(width_), *kernels_, g * outputs, outputs, sums + g * outputs,
                   std::size_t(weights_.shape.batch));
    }
  }

 private:
  /// Elements outside the image contribute nothing.
  void gather(int n, int y, int first_channel) {
    const auto channels = std::size_t(weights_.shape.channels);
    for (int x = 0; x < width_; ++x) {
      std::size_t k = 0;
      for (int ky = 0; ky < weights_.shape.height; ++ky) {
        for (int kx = 0; kx < weights_.shape.width; ++kx, k += channels) {
          const int in_y = input_y(c_.window, y, ky), in_x = input_x(c_.window, x, kx);
          if (is_inside(input_.shape, in_y, in_x)) {
            seen_.set(std::size_t(x), k, &input_.data[input_.shape.index(n, in_y, in_x, first_channel)], channels,
                      c_.input_zero_point);
          } else {
            seen_.clear(std::size_t(x), k, channels);
          }
        }
      }
    }
  }

  const Tensor8& input_;
  const Tensor8& weights_;
  const Convolution& c_;
  int width_;
  std::size_t depth_;
  std::shared_ptr<Rows16> kernels_;  // a row for each output channel
  Rows16 seen_;                      // one row for each pixel of a line
};

/// Depthwise: one output channel for each input channel, all channels of a tap at once.
class DepthwiseRows {
 public:
  DepthwiseRows(const Tensor8& input, const Tensor8& weights, const Convolution& c)
      : input_(input),
        c_(c),
        width_(output_shape(input.shape, c.window, 1).width),
        pixel_(1, channels()),
        taps_(std::make_shared<Rows16>(std::size_t(c.window.kernel_h) * std::size_t(c.window.kernel_w), channels())) {
    for (std::size_t o = 0; o < channels(); ++o) {
      for (std::size_t tap = 0; tap < std::size_t(c.window.kernel_h) * std::size_t(c.window.kernel_w); ++tap) {
        taps_->set(tap, o, &weights.data[o * std::size_t(c.window.kernel_h) * std::size_t(c.window.kernel_w) + tap], 1,
                   c.weight_zero_point);
      }
    }
  }

  void line(int n, int y, std::uint32_t* sums) {
    for (int x = 0; x < width_; ++x, sums += channels()) {
      std::size_t tap = 0;
      for (int ky = 0; ky < c_.window.kernel_h; ++ky) {
        for (int kx = 0; kx < c_.window.kernel_w; ++kx, ++tap) {
          const int in_y = input_y(c_.window, y, ky), in_x = input_x(c_.window, x, kx);
          if (is_inside(input_.shape, in_y, in_x)) {
            pixel_.set(0, 0, &input_.data[input_.shape.index(n, in_y, in_x, 0)], channels(), c_.input_zero_point);
            add_each_product(pixel_.row(0), taps_->row(tap), channels(), sums);
          }
        }
      }
    }
  }

 private:
  std::size_t channels() const { return std::size_t(input_.shape.channels); }

  const Tensor8& input_;
  const Convolution& c_;
  int width_;
  Rows16 pixel_;
  std::shared_ptr<Rows16> taps_;  // one row for each tap
};

}  // namespace

Tensor32 conv2d_raw(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& convolution) {
  check(input.shape, weights.shape, bias.size(), convolution);
  if (weights.shape.channels == 1 && weights.shape.batch == input.shape.channels) {
    return convolve(input, weights, bias, convolution, DepthwiseRows(input, weights, convolution));
  }
  return convolve(input, weights, bias, convolution, WindowRows(input, weights, convolution));
}

Tensor64 conv2d_wide(const Tensor16& input, const Tensor8& weights, const WideBias& bias,
                     const Convolution& convolution) {
  check(bias);
  check(input.shape, weights.shape, bias.size(), convolution);
  Tensor64 out(output_shape(input.shape, convolution.window, weights.shape.batch));
  for (int n = 0; n < out.shape.batch; ++n) {
    for (int y = 0; y < out.shape.height; ++y) {
      for (int x = 0; x < out.shape.width; ++x) {
        for (int o = 0; o < out.shape.channels; ++o) {
          out.at(n, y, x, o) =
              (bias.empty() ? 0 : bias[std::size_t(o)]) + accumulate(input, weights, convolution, n, y, x, o);
        }
      }
    }
  }
  return out;
}

Tensor8 conv2d(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& convolution,
               const Requantize& stage) {
  return apply(stage, conv2d_raw(input, weights, bias, convolution));
}

Tensor8 depthwise_to_ohwi(const Tensor8& weights) {
  if (weights.shape.batch != 1) {
    throw InvalidArgument(fmt::format("depthwise weights have a leading dimension of {}", weights.shape.batch));
  }
  Tensor8 out(NhwcShape{weights.shape.channels, weights.shape.height, weights.shape.width, 1});
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
