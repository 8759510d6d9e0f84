// SPDX-License-Identifier: Apache-2.0
// Resizing to the nearest neighbour: which row of the input each row of the result shows.
#include <fmt/core.h>

#include <cmath>

#include "import/onnx/operators.hpp"

namespace systole::graph::onnx_file {
namespace {

struct Axis {
  std::int64_t input, output;
  double scale;
};

double source(const Translation& t, const std::string& mode, std::int64_t at, const Axis& axis) {
  const auto x = static_cast<double>(at);
  if (mode == "asymmetric") {
    return x / axis.scale;
  }
  if (mode == "align_corners") {
    return axis.output == 1 ? 0.0 : x * static_cast<double>(axis.input - 1) / static_cast<double>(axis.output - 1);
  }
  if (mode == "pytorch_half_pixel") {
    return axis.output > 1 ? (x + 0.5) / axis.scale - 0.5 : 0.0;
  }
  if (mode == "tf_half_pixel_for_nn") {
    return (x + 0.5) / axis.scale;
  }
  if (mode == "half_pixel") {
    return (x + 0.5) / axis.scale - 0.5;
  }
  t.refuse(OnnxRefusal::kMode, fmt::format("coordinate_transformation_mode '{}' is not supported", mode));
}

double rounded(const Translation& t, const std::string& mode, double x) {
  if (mode == "floor") {
    return std::floor(x);
  }
  if (mode == "ceil") {
    return std::ceil(x);
  }
  if (mode == "round_prefer_ceil") {
    return std::floor(x + 0.5);
  }
  if (mode == "round_prefer_floor") {
    return std::ceil(x - 0.5);
  }
  t.fail(fmt::format("nearest_mode '{}'; floor, ceil, round_prefer_ceil and round_prefer_floor exist", mode));
}

/// Sizes of the result: given, or by scales.
std::vector<Axis> axes_of(Translation& t, const Shape& shape) {
  const bool upsample = t.type() == "Upsample";
  const std::size_t scales_at = upsample || t.opset() < 11 ? 1 : 2;
  std::vector<Axis> axes;
  if (!upsample && t.has_input(3)) {
    const auto sizes = t.integers_of(3, "the sizes");
    for (std::size_t i = 0; i < sizes.size() && i < shape.size(); ++i) {
      axes.push_back({shape[i], sizes[i], static_cast<double>(sizes[i]) / static_cast<double>(shape[i])});
    }
  } else {
    std::vector<double> scales;
    if (const auto attribute = t.reals("scales")) {
      scales.assign(attribute->begin(), attribute->end());
    } else {
      scales = t.reals_of(scales_at, "the scales");
    }
    for (std::size_t i = 0; i < scales.size() && i < shape.size(); ++i) {
      const double size = std::floor(static_cast<double>(shape[i]) * scales[i]);
      if (!(scales[i] > 0) || size > 1e9) {
        t.fail(fmt::format("a scale of {} of {} elements", scales[i], shape[i]));
      }
      axes.push_back({shape[i], static_cast<std::int64_t>(size), scales[i]});
    }
  }
  if (axes.size() != shape.size()) {
    t.fail(fmt::format("{} sizes or scales for shape {}; it takes one per dimension", axes.size(), to_string(shape)));
  }
  return axes;
}

}  // namespace

void resize(Translation& t) {
  const TensorId input = t.input(0);
  const std::string mode = t.text("mode", "nearest");
  if (mode != "nearest") {
    t.refuse(OnnxRefusal::kMode, fmt::format("mode '{}' is not supported; nearest is", mode));
  }
  const bool old = t.type() == "Upsample" || t.opset() < 11;
  const std::string coordinates = old ? "asymmetric" : t.text("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = old ? "floor" : t.text("nearest_mode", "round_prefer_floor");
  const Shape shape = t.shape(input);
  const std::vector<Axis> axes = axes_of(t, shape);
  Shape result;
  bool repeats = shape.size() == 4 && axes[0].input == axes[0].output && axes[1].input == axes[1].output;
  std::vector<std::vector<std::int64_t>> positions(axes.size());
  std::int64_t all = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[i];
    if (axis.output < 1 || (all += axis.output) > (1 << 20)) {
      t.refuse(axis.output == 0 ? OnnxRefusal::kEmptyTensor : OnnxRefusal::kMode, fmt::format("a result of {} elements along axis {}; the range is 1 .. 2^20", axis.output, i));
    }
    for (std::int64_t at = 0; at < axis.output; ++at) {
      const double nearest = rounded(t, rounding, source(t, coordinates, at, axis));
      positions[i].push_back(static_cast<std::int64_t>(std::fmin(std::fmax(nearest, 0.0), static_cast<double>(axis.input - 1))));
      repeats = repeats && positions[i].back() == at * axis.input / axis.output;
    }
    result.push_back(axis.output);
  }
  if (repeats) {  // what the graph's own operator does; the others are slices put together
    const TensorId image = t.transpose(input, {0, 2, 3, 1});
    t.result(t.transpose(t.move(ResizeNearest{}, image, Shape{result[0], result[2], result[3], result[1]}), {0, 3, 1, 2}));
    return;
  }
  TensorId id = input;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    id = take(t, id, i, positions[i]);
  }
  t.result(id);
}

}  // namespace systole::graph::onnx_file
