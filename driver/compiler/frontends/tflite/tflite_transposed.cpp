// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions, as convolutions of an image with zeros inserted between its elements.
#include <fmt/core.h>

#include <algorithm>

#include "attributes.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

/// Inserts `stride` - 1 zeros after each element along the axis.
TensorId spread(Translation& t, TensorId id, std::size_t axis, int stride) {
  if (stride == 1) {
    return id;
  }
  Shape apart = t.tensor(id).shape;
  Shape together = apart;
  apart.insert(apart.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
  together[axis] *= stride;
  Pad pad;
  pad.before.assign(apart.size(), 0);
  pad.after.assign(apart.size(), 0);
  pad.after[axis + 1] = stride - 1;
  Shape padded = apart;
  padded[axis + 1] = stride;
  const TensorId elements = t.add_like(id, apart, "/apart");
  const TensorId spaced = t.add_like(id, padded, "/spaced");
  const TensorId result = t.add_like(id, together, "/spread");
  t.add(Reshape{}, {id}, {elements});
  t.add(std::move(pad), {elements}, {spaced});
  t.add(Reshape{}, {spaced}, {result});
  return result;
}

}  // namespace

void transpose_conv(Translation& t) {
  const auto& o = t.options<format::TransposeConvOptions>();
  const TensorId weights = t.turned_weights(t.input(1));
  TensorId image = t.input(2);
  const Shape filter = t.tensor(weights).shape;
  const Shape shape = t.tensor(image).shape;
  const Shape output = t.tensor(t.output()).shape;
  if (shape.size() != 4 || output.size() != 4) {
    t.fail(fmt::format("input has shape {}, output has shape {}; expected NHWC", to_string(shape), to_string(output)));
  }
  if (t.integers(0, "the shape of the output") != output) {
    t.fail(fmt::format("{} does not have the shape given by input 0", title(t.tensor(t.output()))));
  }
  // SAME and VALID refer to the convolution that it is the transpose of.
  const Window whole = sliding_of(t, output, {o.padding(), filter[1], filter[2], o.stride_h(), o.stride_w(), 1, 1});
  Pad pad;
  pad.before = {0, whole.kernel_h - 1 - whole.pad_top, whole.kernel_w - 1 - whole.pad_left, 0};
  pad.after = {0, output[1] + whole.kernel_h - 1 - pad.before[1] - shape[1] * whole.stride_h,
               output[2] + whole.kernel_w - 1 - pad.before[2] - shape[2] * whole.stride_w, 0};
  image = spread(t, spread(t, image, 1, whole.stride_h), 2, whole.stride_w);
  const auto is_zero = [](std::int64_t amount) { return amount == 0; };
  if (!std::all_of(pad.before.begin(), pad.before.end(), is_zero) ||
      !std::all_of(pad.after.begin(), pad.after.end(), is_zero)) {
    const TensorId padded = t.add_like(
        image, {shape[0], output[1] + whole.kernel_h - 1, output[2] + whole.kernel_w - 1, shape[3]}, "/padded");
    t.add(std::move(pad), {image}, {padded});
    image = padded;
  }
  Conv2d conv;
  conv.window.kernel_h = whole.kernel_h;
  conv.window.kernel_w = whole.kernel_w;
  conv.activation = activation_of(t, o.activation());
  t.add(conv, with_wide_bias(t, image, weights, 3), {t.output()});
}

}  // namespace systole::graph::tflite_file
