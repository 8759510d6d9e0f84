// SPDX-License-Identifier: Apache-2.0
// Resizing: the nearest element, or the weighted neighbours, for each element of the result.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "element_visit.hpp"
#include "onnx_interpolation.hpp"
#include "onnx_operators.hpp"
#include "permutation.hpp"

namespace systole::graph::onnx_file {
namespace {

struct Axis {
  std::int64_t input, output;
  double scale;
  double from = 0, to = 1;  ///< the part of the input to show, for tf_crop_and_resize
};

double source(const Translation& t, const std::string& mode, std::int64_t at, const Axis& axis) {
  const auto x = static_cast<double>(at);
  const auto last = static_cast<double>(axis.input - 1);
  if (mode == "asymmetric") {
    return x / axis.scale;
  }
  if (mode == "align_corners") {
    const double length = axis.scale * static_cast<double>(axis.input);  // not rounded, as in ONNX's reference
    return length <= 1 ? 0.0 : x * last / (length - 1);
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
  if (mode == "half_pixel_symmetric") {
    const double adjustment = static_cast<double>(axis.output) / (axis.scale * static_cast<double>(axis.input));
    return static_cast<double>(axis.input) / 2 * (1 - adjustment) + (x + 0.5) / axis.scale - 0.5;
  }
  if (mode == "tf_crop_and_resize") {
    return axis.output > 1 ? (axis.from + x * (axis.to - axis.from) / static_cast<double>(axis.output - 1)) * last
                           : 0.5 * (axis.from + axis.to) * last;
  }
  t.fail(
      fmt::format("coordinate_transformation_mode '{}'; expected half_pixel, half_pixel_symmetric, pytorch_half_pixel, "
                  "align_corners, asymmetric, tf_half_pixel_for_nn or tf_crop_and_resize",
                  mode));
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
  t.fail(fmt::format("nearest_mode '{}'; expected floor, ceil, round_prefer_ceil or round_prefer_floor", mode));
}

/// A value for each dimension if the node gives them for some axes only; in one list or, for regions, in two.
template <class Number>
std::vector<Number> for_all_axes(Translation& t, const std::vector<Number>& some, std::vector<Number> otherwise) {
  const auto named = t.opset() >= 18 ? t.integers("axes") : std::nullopt;
  if (!named) {
    return some;
  }
  const std::size_t rank = t.shape(t.input(0)).size();
  const std::size_t lists = rank == 0 ? 1 : otherwise.size() / rank;
  if (some.size() != lists * named->size()) {
    t.fail(fmt::format("{} values for {} axes; expected {} per axis", some.size(), named->size(), lists));
  }
  for (std::size_t list = 0; list < lists; ++list) {
    for (std::size_t i = 0; i < named->size(); ++i) {
      otherwise[list * rank + t.axis((*named)[i], rank)] = some[list * named->size() + i];
    }
  }
  return otherwise;
}

/// With keep_aspect_ratio_policy, the sizes are limits: all named axes are scaled alike.
void keep_ratio(Translation& t, std::vector<Axis>& axes) {
  const std::string policy = t.text("keep_aspect_ratio_policy", "stretch");
  if (policy == "stretch") {
    return;
  }
  if (policy != "not_larger" && policy != "not_smaller") {
    t.fail(fmt::format("keep_aspect_ratio_policy '{}'; expected stretch, not_larger or not_smaller", policy));
  }
  std::vector<std::size_t> named(axes.size());
  std::iota(named.begin(), named.end(), std::size_t{0});
  if (const auto some = t.integers("axes")) {
    named.clear();
    for (const std::int64_t axis : *some) {
      named.push_back(t.axis(axis, axes.size()));
    }
  }
  if (named.empty()) {
    return;
  }
  double scale = axes[named[0]].scale;
  for (const std::size_t i : named) {
    scale = policy == "not_larger" ? std::fmin(scale, axes[i].scale) : std::fmax(scale, axes[i].scale);
  }
  for (const std::size_t i : named) {
    axes[i].scale = scale;
    const double size = std::floor(scale * static_cast<double>(axes[i].input) + 0.5);
    axes[i].output = static_cast<std::int64_t>(std::clamp(size, 0.0, static_cast<double>(kMaxTensorBytes)));
  }
}

/// Sizes of the result: given directly, or by scales.
std::vector<Axis> axes_of(Translation& t, const Shape& shape) {
  const bool upsample = t.type() == "Upsample";
  const std::size_t scales_at = upsample || t.opset() < 11 ? 1 : 2;
  std::vector<Axis> axes;
  if (!upsample && t.has_input(3)) {
    const auto sizes = for_all_axes(t, t.integers_of(3, "the sizes"), shape);
    for (std::size_t i = 0; i < sizes.size() && i < shape.size(); ++i) {
      axes.push_back({shape[i], sizes[i], static_cast<double>(sizes[i]) / static_cast<double>(shape[i])});
    }
    keep_ratio(t, axes);
  } else {
    std::vector<double> scales;
    if (const auto attribute = t.reals("scales")) {
      scales.assign(attribute->begin(), attribute->end());
    } else {
      scales = for_all_axes(t, t.reals_of(scales_at, "the scales"), std::vector<double>(shape.size(), 1.0));
    }
    for (std::size_t i = 0; i < scales.size() && i < shape.size(); ++i) {
      const double size = std::floor(static_cast<double>(shape[i]) * scales[i]);
      if (!(scales[i] > 0) || size > 1e9) {
        t.fail(fmt::format("scale {} for a dimension of {}; scales must be positive, and results at most 10^9",
                           scales[i], shape[i]));
      }
      axes.push_back({shape[i], static_cast<std::int64_t>(size), scales[i]});
    }
  }
  if (axes.size() != shape.size()) {
    t.fail(fmt::format("{} sizes or scales for shape {}; expected one per dimension", axes.size(), to_string(shape)));
  }
  return axes;
}

/// The nearest element in Upsample, and in Resize of operator set 10: the one before, or the one after where the result
/// is smaller, of a coordinate that is rounded to float32.
double nearest_before_11(std::int64_t at, const Axis& axis) {
  const float x = static_cast<float>(at) / static_cast<float>(axis.scale);
  return double{axis.scale < 1 ? std::ceil(x) : std::floor(x)};
}

/// Keys' cubic kernel: 1 at 0, 0 at other integers.
double cubic(double distance, double a) {
  const double x = std::abs(distance);
  if (x <= 1) {
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  }
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The taps of interpolation with this kernel around `x`, those outside of the input among them.
std::vector<Tap> taps_around(const Translation& t, const std::string& mode, double x, const Axis& axis) {
  const double a = double{t.real("cubic_coeff_a", -0.75F)};
  const bool excludes = t.integer("exclude_outside", 0) != 0;
  const bool antialias = t.integer("antialias", 0) != 0;  // a smaller result takes in more elements
  const auto last = static_cast<double>(axis.input - 1);
  const double width = antialias ? std::fmin(axis.scale, 1.0) : 1.0;
  const double reach = (mode == "cubic" ? 2.0 : 1.0) / width;
  constexpr double kMaxReach = 512;
  if (reach > kMaxReach) {
    t.refuse(OnnxRefusal::kTooLarge, fmt::format("antialias with scale {}: an element of the result takes in more than "
                                                 "{} of the input",
                                                 axis.scale, 2 * kMaxReach));
  }
  const double centre = std::fmin(std::fmax(x, -2 * reach), last + 2 * reach);
  std::vector<Tap> taps;
  double sum = 0;
  for (double place = std::ceil(centre - reach); place <= centre + reach; ++place) {
    const double distance = (x - place) * width;
    const double weight = mode == "cubic" ? cubic(distance, a) : std::fmax(0.0, 1 - std::abs(distance));
    constexpr double kRounding = 1e-11;  // of a coordinate, which may be a whole number
    if (!(std::abs(weight) <= kRounding) && (!excludes || (place >= 0 && place <= last))) {
      taps.push_back({static_cast<std::int64_t>(place), weight});
      sum += weight;
    }
  }
  if (taps.empty()) {  // all that have a weight lie outside
    taps.push_back({static_cast<std::int64_t>(centre)});
    sum = 1;
  }
  for (Tap& tap : taps) {
    tap.weight /= excludes || antialias ? sum : 1;
  }
  return taps;
}

/// Whether the size along the axis changes, or what is shown of it.
bool changes(const Axis& axis, const std::string& coordinates) {
  return axis.scale != 1 || (coordinates == "tf_crop_and_resize" && (axis.from != 0 || axis.to != 1));
}

/// The order of axes in which those that stay are last, so that whole rows are moved: N,H,W,C for images.
std::vector<int> kept_last(const std::vector<Axis>& axes, const std::string& coordinates) {
  std::vector<int> order(axes.size());
  std::iota(order.begin(), order.end(), 0);
  const auto begin = order.begin() + (axes.empty() || changes(axes[0], coordinates) ? 0 : 1);
  std::stable_partition(begin, order.end(),
                        [&](int i) { return changes(axes[static_cast<std::size_t>(i)], coordinates); });
  return order;
}

/// One axis after another.
TensorId resized(Translation& t, TensorId id, const std::vector<Axis>& axes, const std::string& mode,
                 const std::string& coordinates, const std::string& rounding) {
  const std::vector<int> order = kept_last(axes, coordinates);
  id = t.transpose(id, order);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[static_cast<std::size_t>(order[i])];
    const bool crops = coordinates == "tf_crop_and_resize";
    if (!changes(axis, coordinates)) {
      continue;
    }
    constexpr std::int64_t kMaxInput = 1 << 24;
    if (axis.input > kMaxInput) {
      t.refuse(OnnxRefusal::kTooLarge,
               fmt::format("interpolates a dimension of {}; at most {} is supported", axis.input, kMaxInput));
    }
    constexpr std::size_t kMaxTaps = 1 << 24;
    std::size_t taps = 0;
    std::vector<std::vector<Tap>> results;
    std::vector<double> outside;  // of the input: 1 for each such element of the result
    for (std::int64_t at = 0; at < axis.output; ++at) {
      const double x = source(t, coordinates, at, axis);
      outside.push_back(crops && !(x >= 0 && x <= static_cast<double>(axis.input - 1)) ? 1 : 0);
      if (outside.back() != 0) {
        results.push_back({Tap{}});
      } else if (mode == "nearest") {
        results.push_back({Tap{static_cast<std::int64_t>(rounded(t, rounding, x))}});
      } else {
        results.push_back(taps_around(t, mode, x, axis));
      }
      taps += results.back().size();
      if (taps > kMaxTaps) {
        t.refuse(OnnxRefusal::kTooLarge, fmt::format("resizing a dimension from {} to {} takes more than {} weights",
                                                     axis.input, axis.output, kMaxTaps));
      }
    }
    id = interpolated(t, id, i, std::move(results));
    if (std::count(outside.begin(), outside.end(), 0.0) != axis.output) {
      Shape along(axes.size(), 1);
      along[i] = axis.output;
      const TensorId beside = t.scalar(double{t.real("extrapolation_value", 0.0F)}, id);
      id = t.select(t.numbers(ElementType::kBool, along, outside), beside, id);
    }
  }
  return t.transpose(id, inverse(order));
}

/// Interpolated real numbers as integers within the range of the type, which cubic interpolation may exceed. They are
/// rounded, ties to even, except for linear ones without antialias, which ONNX Runtime truncates.
TensorId as_integers(Translation& t, TensorId id, ElementType type, const std::string& mode) {
  if (mode == "cubic" || t.integer("antialias", 0) != 0) {
    id = t.unary(UnaryKind::kRound, id);
  }
  const auto [least, most] = with_element(type, [](auto element) {
    using Limits = std::numeric_limits<decltype(element)>;
    return std::pair{static_cast<float>(Limits::min()), static_cast<float>(Limits::max())};
  });
  return cast(t, t.unary(UnaryKind::kClip, id, least, most), type);
}

}  // namespace

void resize(Translation& t) {
  const TensorId input = t.input(0);
  const std::string mode = t.text("mode", "nearest");
  if (mode != "nearest" && mode != "linear" && mode != "cubic" && mode != "bilinear") {
    t.fail(fmt::format("mode '{}'; expected nearest, linear or cubic", mode));
  }
  const bool old = t.type() == "Upsample" || t.opset() < 11;
  const std::string coordinates = old ? "asymmetric" : t.text("coordinate_transformation_mode", "half_pixel");
  const std::string rounding = old ? "floor" : t.text("nearest_mode", "round_prefer_floor");
  const Shape shape = t.shape(input);
  std::vector<Axis> axes = axes_of(t, shape);
  Shape result;
  bool repeats = shape.size() == 4 && axes[0].input == axes[0].output && axes[1].input == axes[1].output;
  std::vector<std::vector<std::int64_t>> positions(axes.size());
  std::int64_t all = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[i];
    constexpr std::int64_t kMaxSizes = 1 << 20;
    if (axis.output < 1 || axis.output > kMaxSizes - all) {
      t.refuse(axis.output == 0 ? OnnxRefusal::kEmptyTensor : OnnxRefusal::kTooLarge,
               fmt::format("size {} of the result along axis {}; the range is 1 .. 2^20, for all dimensions together",
                           axis.output, i));
    }
    all += axis.output;
  }
  if (coordinates == "tf_crop_and_resize") {
    std::vector<double> whole(2 * axes.size(), 0.0);
    std::fill(whole.begin() + static_cast<std::ptrdiff_t>(axes.size()), whole.end(), 1.0);
    const std::vector<double> region = for_all_axes(t, t.reals_of(1, "the region"), whole);
    if (region.size() != 2 * axes.size()) {
      t.fail(
          fmt::format("roi has {} values for shape {}; expected two per dimension", region.size(), to_string(shape)));
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
      axes[i].from = region[i];
      axes[i].to = region[axes.size() + i];
    }
  }
  if (mode != "nearest" || coordinates == "tf_crop_and_resize") {
    const TensorId plain = t.plain(input);
    const ElementType type = t.tensor(plain).type;
    const bool real = with_element(type, [](auto element) { return kIsReal<decltype(element)>; });
    if (mode == "nearest" || real) {
      t.result(resized(t, plain, axes, mode, coordinates, rounding));
    } else {
      const TensorId numbers = cast(t, plain, ElementType::kFloat32);
      t.result(as_integers(t, resized(t, numbers, axes, mode, coordinates, rounding), type, mode));
    }
    return;
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[i];
    for (std::int64_t at = 0; at < axis.output; ++at) {
      const double nearest = old ? nearest_before_11(at, axis) : rounded(t, rounding, source(t, coordinates, at, axis));
      positions[i].push_back(
          static_cast<std::int64_t>(std::fmin(std::fmax(nearest, 0.0), static_cast<double>(axis.input - 1))));
      repeats = repeats && positions[i].back() == at * axis.input / axis.output;
    }
    result.push_back(axis.output);
  }
  if (repeats) {  // supported directly by a graph operator; the others are concatenated slices
    const TensorId image = t.transpose(input, {0, 2, 3, 1});
    t.result(
        t.transpose(t.move(ResizeNearest{}, image, Shape{result[0], result[2], result[3], result[1]}), {0, 3, 1, 2}));
    return;
  }
  TensorId id = input;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    id = take(t, id, i, positions[i]);
  }
  t.result(id);
}

}  // namespace systole::graph::onnx_file
