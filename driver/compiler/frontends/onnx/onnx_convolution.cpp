// SPDX-License-Identifier: Apache-2.0
// Convolutions: float, quantized, integer, and transposed.
#include <fmt/core.h>

#include <algorithm>

#include "onnx_images.hpp"
#include "onnx_operators.hpp"
#include "onnx_parameters.hpp"

namespace systole::graph::onnx_file {
namespace {

Convolution prepared(Translation& t, TensorId input, TensorId weights) {
  Convolution conv;
  conv.input = input;
  conv.weights = weights;
  const std::vector<std::int64_t> kernel = spatial(t.shape(weights));
  if (const auto named = t.integers("kernel_shape"); named && *named != kernel) {
    t.fail(fmt::format("kernel_shape does not match weights of shape {}", to_string(t.shape(weights))));
  }
  conv.steps = steps_of(t, spatial(t.shape(input)), kernel, false);
  conv.groups = t.integer("group", 1);
  return conv;
}

}  // namespace

void conv(Translation& t) {
  t.bind(t.input(1));
  Convolution conv = prepared(t, t.input(0), t.input(1));
  conv.bias = t.optional_input(2);
  t.result(convolved(t, conv, t.tensor(conv.input).type));
}

void qlinear_conv(Translation& t) {
  t.bind(t.input(3));
  const TensorId input = t.with_quantization(t.input(0), one_scale(t, 1, 2, t.tensor(t.input(0)).type));
  const TensorId weights = t.with_quantization(t.input(3), scales(t, 4, 5, t.tensor(t.input(3)), 0));
  Convolution conv = prepared(t, input, weights);
  if (t.has_input(8)) {
    t.bind(t.input(8));
    conv.bias = t.input(8);
  }
  const ElementType type = type_of_zero_point(t, 7);
  t.result(convolved(t, conv, type, one_scale(t, 6, 7, type)));
}

void conv_integer(Translation& t) {
  t.bind(t.input(1));
  const TensorId weights = t.with_quantization(t.input(1), zero_points(t, 3, t.tensor(t.input(1)), 0));
  if (is_constant_parameter(t, 2)) {
    const TensorId input = t.with_quantization(t.input(0), zero_points(t, 2, t.tensor(t.input(0)), 0));
    t.result(convolved(t, prepared(t, input, weights), ElementType::kInt32));
    return;
  }
  // A zero point computed at run time: the sum of x w minus the zero point times the sum of the weights inside the
  // image, which is their convolution with ones.
  const Convolution conv = prepared(t, t.plain(t.input(0)), weights);
  const TensorId sums = convolved(t, conv, ElementType::kInt32);
  Convolution inside = conv;
  Shape one_image = t.shape(conv.input);
  one_image[0] = 1;
  inside.input = expand(t, t.numbers(t.tensor(conv.input).type, {}, {1}), one_image);
  const TensorId weight_sums = convolved(t, inside, ElementType::kInt32);
  const TensorId zero_point = t.reshape(t.convert(t.plain(t.input(2)), ElementType::kInt32), {});
  t.result(t.binary(BinaryKind::kSubtract, sums, t.binary(BinaryKind::kMultiply, weight_sums, zero_point)));
}

namespace {

/// Inserts `stride` - 1 zeros after each element.
TensorId spread(Translation& t, TensorId id, std::size_t axis, std::int64_t stride) {
  if (stride == 1) {
    return id;
  }
  Shape shape = t.shape(id);
  Shape apart = shape;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  Pad pad;
  pad.before.assign(apart.size(), 0);
  pad.after.assign(apart.size(), 0);
  pad.after[axis + 1] = stride - 1;
  shape[axis] *= stride;
  return t.reshape(t.move(pad, t.reshape(id, apart)), shape);
}

/// Weights I,O/groups,... as O,I/groups,..., reversed along the image's dimensions.
TensorId turned(Translation& t, TensorId weights, std::int64_t groups) {
  const Shape shape = t.shape(weights);
  Slice slice{std::vector<std::int64_t>(shape.size(), 0), std::vector<std::int64_t>(shape.size(), 1)};
  for (std::size_t i = 2; i < shape.size(); ++i) {
    slice.begin[i] = shape[i] - 1;
    slice.step[i] = shape[i] == 1 ? 1 : -1;
  }
  Shape grouped = {groups, shape[0] / groups};
  grouped.insert(grouped.end(), shape.begin() + 1, shape.end());
  std::vector<int> swapped = {0, 2, 1};
  for (std::size_t i = 3; i < grouped.size(); ++i) {
    swapped.push_back(static_cast<int>(i));
  }
  Shape result = shape;
  result[0] = shape[1] * groups;
  result[1] = shape[0] / groups;
  return t.reshape(t.transpose(t.reshape(t.move(slice, weights, shape), grouped), swapped), result);
}

}  // namespace

/// Transposed convolution: a convolution of the image with zeros inserted between its elements.
void conv_transpose(Translation& t) {
  t.bind(t.input(1));
  const TensorId input = t.input(0);
  const TensorId weights = t.input(1);
  const Shape shape = t.shape(input);
  const Shape filter = t.shape(weights);
  const std::int64_t groups = t.integer("group", 1);
  if (shape.size() != filter.size() || shape.size() < 3 || groups < 1 || shape[1] != filter[0] ||
      filter[0] % groups != 0) {
    t.fail(fmt::format("weights of shape {} in {} groups do not match an input of shape {}", to_string(filter), groups,
                       to_string(shape)));
  }
  std::vector<Steps> steps = steps_of(t, spatial(shape), spatial(filter), false);
  const auto more = t.integers("output_padding").value_or(std::vector<std::int64_t>(steps.size(), 0));
  const std::string mode = t.text("auto_pad", "NOTSET");
  const bool same = mode == "SAME_UPPER" || mode == "SAME_LOWER";
  auto wanted = t.integers("output_shape").value_or(std::vector<std::int64_t>{});
  if (wanted.size() > steps.size()) {
    wanted.erase(wanted.begin(), wanted.end() - static_cast<std::ptrdiff_t>(steps.size()));  // preceded by N and C
  }
  if (more.size() != steps.size() || (!wanted.empty() && wanted.size() != steps.size())) {
    t.fail(fmt::format("output_padding has {} values and output_shape {}; expected one per spatial dimension",
                       more.size(), wanted.size()));
  }
  TensorId spaced = input;
  Pad pad;
  pad.before.assign(shape.size(), 0);
  pad.after.assign(shape.size(), 0);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    Steps& s = steps[i];
    constexpr std::int64_t kMost = 1 << 24;
    const std::int64_t reach = (s.kernel - 1) * s.dilation + 1;
    const std::int64_t size = shape[2 + i];
    if (more[i] < 0 || more[i] > kMost || size > kMost ||
        (!wanted.empty() && (wanted[i] < 1 || wanted[i] > kMost * kMost / 4))) {
      t.fail(fmt::format("output_padding {} of {} elements; the range is 0 .. {}", more[i], size, kMost));
    }
    if (!wanted.empty() || same) {
      const std::int64_t all = s.stride * (size - 1) + more[i] + reach - (wanted.empty() ? size * s.stride : wanted[i]);
      const std::int64_t inner = std::max<std::int64_t>(all, 0);  // a larger result is filled with zeros
      s.before = mode == "SAME_UPPER" ? inner / 2 : inner - inner / 2;
      s.after = all - s.before;
    }
    spaced = spread(t, spaced, 2 + i, s.stride);
    pad.before[2 + i] = reach - 1 - s.before;
    pad.after[2 + i] = reach - 1 - s.after + more[i] - (s.stride - 1);
    s.stride = 1;
    s.before = 0;
    s.after = 0;
  }
  const Convolution conv{t.move(pad, spaced), turned(t, weights, groups), t.optional_input(2), steps, groups};
  t.result(convolved(t, conv, t.tensor(input).type));
}

}  // namespace systole::graph::onnx_file
