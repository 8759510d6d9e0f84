// SPDX-License-Identifier: Apache-2.0
// Convolutions: of real numbers, of quantized ones, and of integers.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "import/onnx/images.hpp"
#include "import/onnx/parameters.hpp"
#include "import/onnx/tensors.hpp"

namespace systole::graph::onnx_file {

TensorId to_image(Translation& t, TensorId channels_first) {
  const Shape shape = t.shape(channels_first);
  if (shape.size() == 4) {
    return t.transpose(channels_first, {0, 2, 3, 1});
  }
  if (shape.size() == 3) {
    return t.reshape(t.transpose(channels_first, {0, 2, 1}), {shape[0], 1, shape[2], shape[1]});
  }
  t.refuse(OnnxRefusal::kMode, fmt::format("an input of shape {}; images N,C,H,W and lines N,C,L are supported", to_string(shape)));
}

TensorId from_image(Translation& t, TensorId image, std::size_t rank) {
  if (rank == 4) {
    return t.transpose(image, {0, 3, 1, 2});
  }
  const Shape shape = t.shape(image);
  return t.transpose(t.reshape(image, {shape[0], shape[2], shape[3]}), {0, 2, 1});
}

namespace {

constexpr std::int64_t kMostSteps = 1 << 24;

/// The attribute's values, one per dimension of the image, as many as `dimensions`.
std::vector<std::int64_t> steps(const Translation& t, const char* attribute, std::size_t dimensions, std::int64_t least, std::int64_t otherwise) {
  const auto given = t.integers(attribute);
  std::vector<std::int64_t> values = given ? *given : std::vector<std::int64_t>(dimensions, otherwise);
  if (values.size() != dimensions) {
    t.fail(fmt::format("{} has {} values; it takes {}", attribute, values.size(), dimensions));
  }
  for (const std::int64_t value : values) {
    if (value < least || value > kMostSteps) {
      t.fail(fmt::format("{} of {}; the range is {} .. {}", attribute, value, least, kMostSteps));
    }
  }
  return values;
}

struct Padding {
  std::int64_t before, after;
};

/// SAME: as many outputs as strides begin inside.
Padding same(const std::string& mode, std::int64_t input, std::int64_t reach, std::int64_t stride) {
  const std::int64_t output = (input + stride - 1) / stride;
  const std::int64_t all = std::max<std::int64_t>(0, (output - 1) * stride + reach - input);
  const std::int64_t less = all / 2;
  return mode == "SAME_UPPER" ? Padding{less, all - less} : Padding{all - less, less};
}

}  // namespace

Sliding sliding_of(const Translation& t, const Shape& image, const std::vector<std::int64_t>& kernel, bool ceil) {
  const std::size_t dimensions = kernel.size();
  const auto strides = steps(t, "strides", dimensions, 1, 1);
  const auto dilations = steps(t, "dilations", dimensions, 1, 1);
  const auto pads = steps(t, "pads", 2 * dimensions, 0, 0);
  const std::string mode = t.text("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" && mode != "SAME_LOWER") {
    t.fail(fmt::format("auto_pad '{}'; NOTSET, VALID, SAME_UPPER and SAME_LOWER exist", mode));
  }
  std::vector<Padding> padding(dimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (kernel[i] < 1 || kernel[i] > kMostSteps) {
      t.fail(fmt::format("a kernel of {}; the range is 1 .. {}", kernel[i], kMostSteps));
    }
    const std::int64_t input = image[3 - dimensions + i];
    const std::int64_t reach = (kernel[i] - 1) * dilations[i] + 1;
    if (mode == "SAME_UPPER" || mode == "SAME_LOWER") {
      padding[i] = same(mode, input, reach, strides[i]);
    } else if (mode == "NOTSET") {
      padding[i] = {pads[i], pads[dimensions + i]};
    }
    const std::int64_t free = input + padding[i].before + padding[i].after - reach;
    if (ceil && free > 0 && free % strides[i] != 0) {
      padding[i].after += strides[i] - free % strides[i];
    }
    if (padding[i].before > kMostSteps || padding[i].after > kMostSteps) {
      t.fail(fmt::format("padding by {} and {}; the range is 0 .. {}", padding[i].before, padding[i].after, kMostSteps));
    }
  }
  const auto as_int = [](std::int64_t value) { return static_cast<int>(value); };
  Sliding s;
  const std::size_t last = dimensions - 1;
  s.kernel_w = as_int(kernel[last]);
  s.stride_w = as_int(strides[last]);
  s.dilation_w = as_int(dilations[last]);
  s.pad_left = as_int(padding[last].before);
  s.pad_right = as_int(padding[last].after);
  if (dimensions == 2) {
    s.kernel_h = as_int(kernel[0]);
    s.stride_h = as_int(strides[0]);
    s.dilation_h = as_int(dilations[0]);
    s.pad_top = as_int(padding[0].before);
    s.pad_bottom = as_int(padding[0].after);
  }
  return s;
}

namespace {

/// Weights O,I,H,W or O,I,L as OHWI.
TensorId to_filter(Translation& t, TensorId weights) {
  t.bind(weights);
  const Shape shape = t.shape(weights);
  if (shape.size() != 3 && shape.size() != 4) {
    t.refuse(OnnxRefusal::kMode, fmt::format("weights of shape {}; they are O,I,H,W or O,I,L", to_string(shape)));
  }
  return to_image(t, weights);
}

struct Prepared {
  Conv2d conv;
  TensorId image, filter;
  std::size_t rank;
};

Prepared prepare(Translation& t, TensorId input, TensorId weights) {
  Prepared p{{}, to_image(t, input), to_filter(t, weights), t.shape(input).size()};
  const Shape filter = t.shape(weights);
  if (filter.size() != p.rank) {
    t.fail(fmt::format("weights of shape {} for an input of shape {}; both have as many dimensions", to_string(filter), to_string(t.shape(input))));
  }
  const std::vector<std::int64_t> kernel(filter.begin() + 2, filter.end());
  if (const auto named = t.integers("kernel_shape"); named && *named != kernel) {
    t.fail(fmt::format("kernel_shape is not that of weights {}", to_string(filter)));
  }
  p.conv.sliding = sliding_of(t, t.shape(p.image), kernel, false);
  const std::int64_t groups = t.integer("group", 1);
  if (groups < 1 || groups > t.shape(p.image)[3]) {
    t.fail(fmt::format("{} groups of {} input channels; the range is 1 .. {}", groups, t.shape(p.image)[3], t.shape(p.image)[3]));
  }
  p.conv.groups = static_cast<int>(groups);
  return p;
}

}  // namespace

void conv(Translation& t) {
  const Prepared p = prepare(t, t.input(0), t.input(1));
  std::vector<TensorId> inputs = {p.image, p.filter};
  if (t.has_input(2)) {
    inputs.push_back(t.input(2));
  }
  t.result(from_image(t, t.emit(p.conv, inputs, t.tensor(p.image).type), p.rank));
}

void qlinear_conv(Translation& t) {
  t.bind(t.input(3));
  const TensorId input = t.with_quantization(t.input(0), one_scale(t, 1, 2, t.tensor(t.input(0)).type));
  const TensorId weights = t.with_quantization(t.input(3), scales(t, 4, 5, t.tensor(t.input(3)), 0));
  const Prepared p = prepare(t, input, weights);
  std::vector<TensorId> inputs = {p.image, p.filter};
  if (t.has_input(8)) {
    t.bind(t.input(8));
    inputs.push_back(t.input(8));
  }
  const ElementType type = type_of_zero_point(t, 7);
  t.result(from_image(t, t.emit(p.conv, inputs, type, one_scale(t, 6, 7, type)), p.rank));
}

void conv_integer(Translation& t) {
  t.bind(t.input(1));
  const TensorId weights = t.with_quantization(t.input(1), zero_points(t, 3, t.tensor(t.input(1)), 0));
  if (is_constant_parameter(t, 2)) {
    const TensorId input = t.with_quantization(t.input(0), zero_points(t, 2, t.tensor(t.input(0)), 0));
    const Prepared p = prepare(t, input, weights);
    t.result(from_image(t, t.emit(p.conv, {p.image, p.filter}, ElementType::kInt32), p.rank));
    return;
  }
  // A zero point that is computed: sum of x w less zero point times sum of w, which is exact where nothing is padded.
  const Prepared p = prepare(t, t.plain(t.input(0)), weights);
  const Sliding& s = p.conv.sliding;
  if (s.pad_top + s.pad_bottom + s.pad_left + s.pad_right != 0) {
    t.refuse(OnnxRefusal::kComputedParameter, "padding with a zero point that is computed at run time; it has to be constant");
  }
  const TensorId sums = t.emit(p.conv, {p.image, p.filter}, ElementType::kInt32);
  Tensor ones = t.tensor(p.image);  // the sum of the weights is their convolution with ones
  ones.name = "ones";
  ones.shape = {1, s.dilation_h * (s.kernel_h - 1) + 1, s.dilation_w * (s.kernel_w - 1) + 1, t.shape(p.image)[3]};
  ones.constant = std::make_shared<Bytes>(static_cast<std::size_t>(count(ones.shape)), std::uint8_t{1});
  const TensorId weight_sums = t.emit(p.conv, {t.add_tensor(ones), p.filter}, ElementType::kInt32);
  const TensorId zero_point = t.reshape(t.convert(t.plain(t.input(2)), ElementType::kInt32), {});
  t.result(from_image(t, t.binary(BinaryKind::kSubtract, sums, t.binary(BinaryKind::kMultiply, weight_sums, zero_point)), p.rank));
}

}  // namespace systole::graph::onnx_file
