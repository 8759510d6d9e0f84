// SPDX-License-Identifier: Apache-2.0
// Options that many operators have: axes, activations, windows.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "infer.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {

int axis_in(std::int64_t axis, const Shape& shape) {
  return static_cast<int>(axis_of(static_cast<int>(std::clamp<std::int64_t>(axis, -100, 100)), shape.size()));
}

Activation activation_of(const Translation& translation, format::FusedActivation activation) {
  switch (activation) {
    case format::FusedActivation::NONE: return Activation::kNone;
    case format::FusedActivation::RELU: return Activation::kRelu;
    case format::FusedActivation::RELU6: return Activation::kRelu6;
    case format::FusedActivation::RELU_N1_TO_1: return Activation::kReluN1To1;
    default:
      translation.fail(fmt::format(
          "fused activation number {}; NONE, RELU, RELU_N1_TO_1 and RELU6 are supported, others only as separate "
          "operators",
          static_cast<int>(activation)));
  }
}

namespace {

constexpr std::int64_t kMaxSteps = 1 << 24;

int checked(const Translation& translation, const char* what, std::int64_t value) {
  if (value < 1 || value > kMaxSteps) {
    translation.fail(fmt::format("{} {}; the range is 1 .. {}", what, value, kMaxSteps));
  }
  return static_cast<int>(value);
}

/// SAME: one output for each stride that begins inside; the odd padding element goes to the end.
std::pair<int, int> padding_of(format::Padding padding, std::int64_t input, std::int64_t kernel, std::int64_t stride,
                               std::int64_t dilation) {
  if (padding == format::Padding::VALID) {
    return {0, 0};
  }
  const std::int64_t output = (input + stride - 1) / stride;
  const std::int64_t all = std::max<std::int64_t>(0, (output - 1) * stride + (kernel - 1) * dilation + 1 - input);
  if (all > std::numeric_limits<std::int32_t>::max()) {
    throw GraphError(fmt::format("kernel {} with dilation {} needs padding of more than 2^31 - 1", kernel, dilation));
  }
  return {static_cast<int>(all / 2), static_cast<int>(all - all / 2)};
}

}  // namespace

Window sliding_of(const Translation& translation, const Shape& image, const SlidingOptions& o) {
  if (image.size() != 4) {
    translation.fail(fmt::format("input has shape {}; expected NHWC", to_string(image)));
  }
  if (o.padding != format::Padding::SAME && o.padding != format::Padding::VALID) {
    translation.fail(fmt::format("padding number {}; expected SAME or VALID", static_cast<int>(o.padding)));
  }
  Window s;
  s.kernel_h = checked(translation, "kernel height", o.kernel_h);
  s.kernel_w = checked(translation, "kernel width", o.kernel_w);
  s.stride_h = checked(translation, "vertical stride", o.stride_h);
  s.stride_w = checked(translation, "horizontal stride", o.stride_w);
  s.dilation_h = checked(translation, "vertical dilation", o.dilation_h);
  s.dilation_w = checked(translation, "horizontal dilation", o.dilation_w);
  std::tie(s.pad_top, s.pad_bottom) = padding_of(o.padding, image[1], s.kernel_h, s.stride_h, s.dilation_h);
  std::tie(s.pad_left, s.pad_right) = padding_of(o.padding, image[2], s.kernel_w, s.stride_w, s.dilation_w);
  return s;
}

}  // namespace systole::graph::tflite_file
