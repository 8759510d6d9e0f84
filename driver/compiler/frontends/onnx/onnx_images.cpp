// SPDX-License-Identifier: Apache-2.0
#include "onnx_images.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace systole::graph::onnx_file {
namespace {

constexpr std::int64_t kMostSteps = 1 << 24;

/// The attribute's values, one per dimension of the image, as many as `dimensions`.
std::vector<std::int64_t> values_of(const Translation& t, const char* attribute, std::size_t dimensions,
                                    std::int64_t least, std::int64_t otherwise) {
  const auto given = t.integers(attribute);
  std::vector<std::int64_t> values = given ? *given : std::vector<std::int64_t>(dimensions, otherwise);
  if (values.size() != dimensions) {
    t.fail(fmt::format("{} has {} values; expected {}", attribute, values.size(), dimensions));
  }
  for (const std::int64_t value : values) {
    if (value < least || value > kMostSteps) {
      t.fail(fmt::format("{} contains {}; the range is {} .. {}", attribute, value, least, kMostSteps));
    }
  }
  return values;
}

/// SAME: one output for each stride that begins inside the input.
void pad_same(Steps& s, const std::string& mode, std::int64_t input, std::int64_t reach) {
  const std::int64_t output = (input + s.stride - 1) / s.stride;
  const std::int64_t all = std::max<std::int64_t>(0, (output - 1) * s.stride + reach - input);
  s.before = mode == "SAME_UPPER" ? all / 2 : all - all / 2;
  s.after = all - s.before;
}

}  // namespace

TensorId to_image(Translation& t, TensorId channels_first) {
  const Shape shape = t.shape(channels_first);
  if (shape.size() == 4) {
    return t.transpose(channels_first, {0, 2, 3, 1});
  }
  if (shape.size() == 3) {
    return t.reshape(t.transpose(channels_first, {0, 2, 1}), {shape[0], 1, shape[2], shape[1]});
  }
  t.refuse(OnnxRefusal::kMode,
           fmt::format("input has shape {}; N,C,L, N,C,H,W and N,C,D,H,W are supported", to_string(shape)));
}

TensorId from_image(Translation& t, TensorId image, std::size_t rank) {
  if (rank == 4) {
    return t.transpose(image, {0, 3, 1, 2});
  }
  const Shape shape = t.shape(image);
  return t.transpose(t.reshape(image, {shape[0], shape[2], shape[3]}), {0, 2, 1});
}

Shape spatial(const Shape& shape) { return shape.size() < 2 ? Shape{} : Shape(shape.begin() + 2, shape.end()); }

std::vector<Steps> steps_of(const Translation& t, const Shape& sizes, const std::vector<std::int64_t>& kernel,
                            bool ceil) {
  const std::size_t dimensions = sizes.size();
  if (kernel.size() != dimensions || dimensions == 0) {
    t.fail(fmt::format("kernel has {} dimensions, the input has {} spatial dimensions", kernel.size(), dimensions));
  }
  const auto strides = values_of(t, "strides", dimensions, 1, 1);
  const auto dilations = values_of(t, "dilations", dimensions, 1, 1);
  const auto pads = values_of(t, "pads", 2 * dimensions, 0, 0);
  const std::string mode = t.text("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    t.fail(fmt::format("auto_pad '{}'; expected NOTSET, VALID, SAME_UPPER or SAME_LOWER", mode));
  }
  std::vector<Steps> all;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (kernel[i] < 1 || kernel[i] > kMostSteps) {
      t.fail(fmt::format("kernel size {}; the range is 1 .. {}", kernel[i], kMostSteps));
    }
    Steps s;
    s.kernel = kernel[i];
    s.stride = strides[i];
    s.dilation = dilations[i];
    const std::int64_t reach = (s.kernel - 1) * s.dilation + 1;
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      pad_same(s, mode, sizes[i], reach);
    } else if (mode == "NOTSET") {
      s.before = pads[i];
      s.after = pads[dimensions + i];
    }
    const std::int64_t free = sizes[i] + s.before + s.after - reach;
    // A window that would begin after the input and the padding before it is omitted.
    const bool begins_inside = (free / s.stride + 1) * s.stride < sizes[i] + s.before;
    if (ceil && free > 0 && free % s.stride != 0 && begins_inside) {
      s.beyond = s.stride - free % s.stride;
      s.after += s.beyond;
    }
    if (s.before > kMostSteps || s.after > kMostSteps) {
      t.fail(fmt::format("padding by {} and {}; the range is 0 .. {}", s.before, s.after, kMostSteps));
    }
    all.push_back(s);
  }
  return all;
}

Window window(const Steps& down, const Steps& across) {
  const auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
  Window s;
  s.kernel_h = as_int(down.kernel);
  s.stride_h = as_int(down.stride);
  s.dilation_h = as_int(down.dilation);
  s.pad_top = as_int(down.before);
  s.pad_bottom = as_int(down.after);
  s.kernel_w = as_int(across.kernel);
  s.stride_w = as_int(across.stride);
  s.dilation_w = as_int(across.dilation);
  s.pad_left = as_int(across.before);
  s.pad_right = as_int(across.after);
  return s;
}

Window window(const std::vector<Steps>& steps) {
  return steps.size() == 1 ? window(Steps{}, steps[0]) : window(steps[0], steps[1]);
}

}  // namespace systole::graph::onnx_file
