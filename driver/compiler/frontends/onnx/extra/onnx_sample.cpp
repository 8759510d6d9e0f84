// SPDX-License-Identifier: Apache-2.0
// Images sampled at computed coordinates: a few neighbours are gathered, weighted and summed.
#include <fmt/core.h>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

/// Arithmetic on tensors of one floating-point type.
class Formula {
 public:
  Formula(Translation& t, TensorId like) : t_(t), like_(like) {}
  TensorId number(double value) const { return t_.scalar(value, like_); }
  TensorId add(TensorId a, TensorId b) const { return t_.binary(BinaryKind::kAdd, a, b); }
  TensorId subtract(TensorId a, TensorId b) const { return t_.binary(BinaryKind::kSubtract, a, b); }
  TensorId multiply(TensorId a, TensorId b) const { return t_.binary(BinaryKind::kMultiply, a, b); }
  TensorId moved(TensorId a, double by) const { return add(a, number(by)); }
  TensorId scaled(TensorId a, double by) const { return multiply(a, number(by)); }
  TensorId floor(TensorId a) const { return t_.unary(UnaryKind::kFloor, a); }
  TensorId absolute(TensorId a) const { return t_.unary(UnaryKind::kAbs, a); }
  TensorId limited(TensorId a, double least, double most) const {
    return t_.binary(BinaryKind::kMinimum, t_.binary(BinaryKind::kMaximum, a, number(least)), number(most));
  }
  TensorId is_within(TensorId a, double least, double most) const {
    return t_.test(BinaryKind::kAnd, t_.test(BinaryKind::kLessOrEqual, number(least), a),
                   t_.test(BinaryKind::kLessOrEqual, a, number(most)));
  }
  TensorId is_beyond(TensorId a, double last) const { return t_.test(BinaryKind::kLess, number(last), a); }

 private:
  Translation& t_;
  TensorId like_;
};

/// Coordinates along one dimension.
struct Coordinate {
  TensorId place = kNoTensor;  ///< real numbers
  std::int64_t size = 0;       ///< size of the image
};

/// Reflects coordinates between two bounds.
TensorId reflected(const Formula& f, TensorId x, double low, double high) {
  if (high <= low) {
    return f.scaled(x, 0);
  }
  const double range = high - low;
  const TensorId distance = f.absolute(f.moved(x, -low));
  const TensorId times = f.floor(f.scaled(distance, 1 / range));
  const TensorId rest = f.subtract(distance, f.scaled(times, range));
  const TensorId odd = f.subtract(times, f.scaled(f.floor(f.scaled(times, 0.5)), 2));
  // rest if even, range - rest if odd
  return f.moved(f.add(rest, f.multiply(odd, f.subtract(f.number(range), f.scaled(rest, 2)))), low);
}

/// Neighbours of the coordinates, each with its weight.
struct Neighbour {
  TensorId place, weight;
};

TensorId cubic_weight(const Formula& f, Translation& t, TensorId distance) {
  constexpr double a = -0.75;
  const TensorId x = f.absolute(distance);
  const auto polynomial = [&](double c3, double c2, double c1, double c0) {
    return f.moved(f.multiply(f.moved(f.multiply(f.moved(f.scaled(x, c3), c2), x), c1), x), c0);
  };
  const TensorId near = f.moved(f.multiply(f.multiply(f.moved(f.scaled(x, a + 2), -(a + 3)), x), x), 1);
  return t.select(t.test(BinaryKind::kLessOrEqual, x, f.number(1)), near, polynomial(a, -5 * a, 8 * a, -4 * a));
}

std::vector<Neighbour> neighbours(Translation& t, const Formula& f, TensorId place, const std::string& mode) {
  if (mode == "nearest") {
    return {{t.unary(UnaryKind::kRound, place), f.number(1)}};
  }
  const TensorId low = f.floor(place);
  std::vector<Neighbour> result;
  for (int tap = mode == "bicubic" ? -1 : 0; tap <= (mode == "bicubic" ? 2 : 1); ++tap) {
    const TensorId at = f.moved(low, tap);
    const TensorId distance = f.subtract(place, at);
    result.push_back(
        {at, mode == "bicubic" ? cubic_weight(f, t, distance) : f.subtract(f.number(1), f.absolute(distance))});
  }
  return result;
}

TensorId as_column(Translation& t, TensorId id, std::int64_t last = 1) {
  Shape shape = t.shape(id);
  shape.push_back(last);
  return t.reshape(id, shape);
}

/// Pixels of `rows` [N H W, C] at image [..], y [..] and x [..] as [.., C].
TensorId pixels(Translation& t, TensorId rows, std::int64_t images, TensorId image, TensorId y, std::int64_t height,
                TensorId x, std::int64_t width) {
  const auto index = [&](TensorId real) { return as_column(t, cast(t, real, ElementType::kInt64)); };
  const TensorId all = t.emit(Concat{static_cast<int>(t.shape(y).size())}, {as_column(t, image), index(y), index(x)},
                              ElementType::kInt64);
  const TensorId places = t.emit(FlatIndex{{images, height, width}}, {all}, ElementType::kInt64);
  return t.emit(Gather{0}, {rows, places}, t.tensor(rows).type);
}

}  // namespace

void grid_sample(Translation& t) {
  const TensorId image = t.input(0);
  const Shape shape = t.shape(image);
  const TensorId grid = t.input(1);
  const Shape places = t.shape(grid);
  if (shape.size() == 5 && places.size() == 5) {
    t.refuse(OnnxRefusal::kMode,
             fmt::format("volumes of shape {} are not supported; images N,C,H,W are", to_string(shape)));
  }
  if (shape.size() != 4 || places.size() != 4 || places[0] != shape[0] || places[3] != 2) {
    t.fail(fmt::format("images have shape {} and the grid has {}; expected N,C,H,W and N,H,W,2", to_string(shape),
                       to_string(places)));
  }
  std::string mode = t.text("mode", t.opset() < 20 ? "bilinear" : "linear");
  if (t.opset() >= 20 && (mode == "linear" || mode == "cubic")) {
    mode = "bi" + mode;
  }
  const std::string padding = t.text("padding_mode", "zeros");
  if (mode != "bilinear" && mode != "nearest" && mode != "bicubic") {
    t.fail(fmt::format("mode '{}'; expected bilinear, nearest or bicubic", mode));
  }
  if (padding != "zeros" && padding != "border" && padding != "reflection") {
    t.fail(fmt::format("padding_mode '{}'; expected zeros, border or reflection", padding));
  }
  const bool aligned = t.integer("align_corners", 0) != 0;
  const Formula f(t, grid);
  const Shape points(places.begin(), places.end() - 1);
  const auto coordinate = [&](std::int64_t column, std::int64_t size) {
    const TensorId part = t.reshape(take(t, grid, 3, {column}), points);
    const auto length = static_cast<double>(size);
    const TensorId place = aligned ? f.scaled(f.moved(part, 1), (length - 1) / 2)
                                   : f.scaled(f.moved(f.scaled(f.moved(part, 1), length), -1), 0.5);
    return Coordinate{place, size};
  };
  const Coordinate x = coordinate(0, shape[3]);
  const Coordinate y = coordinate(1, shape[2]);
  // Index of the element for a coordinate that may lie outside, and whether it counts.
  const auto inside = [&](TensorId place, std::int64_t size) {
    const auto last = static_cast<double>(size - 1);
    if (padding == "reflection") {
      place = reflected(f, place, aligned ? 0 : -0.5, aligned ? last : last + 0.5);
    }
    return f.limited(place, 0, last);
  };
  const auto is_inside = [&](TensorId place, std::int64_t size) {
    return f.is_within(place, 0, static_cast<double>(size - 1));
  };
  const auto is_after = [&](TensorId place, std::int64_t size) {
    return f.is_beyond(place, static_cast<double>(size - 1));
  };
  // Bilinear and nearest coordinates are clamped before their neighbours are found, bicubic neighbours afterwards.
  const bool first = padding != "zeros" && mode != "bicubic";
  const TensorId at_x = first ? inside(x.place, x.size) : x.place;
  const TensorId at_y = first ? inside(y.place, y.size) : y.place;
  const TensorId rows = t.reshape(t.transpose(image, {0, 2, 3, 1}), {shape[0] * shape[2] * shape[3], shape[1]});
  const TensorId zero = cast(t, f.scaled(at_x, 0), ElementType::kInt64);
  const TensorId number = t.binary(BinaryKind::kAdd, zero, t.count_along(ElementType::kInt64, 0, 3, shape[0]));
  TensorId sum = kNoTensor;
  for (const Neighbour& down : neighbours(t, f, at_y, mode)) {
    for (const Neighbour& across : neighbours(t, f, at_x, mode)) {
      const TensorId pixel =
          pixels(t, rows, shape[0], number, inside(down.place, y.size), y.size, inside(across.place, x.size), x.size);
      const TensorId weight = f.multiply(down.weight, across.weight);
      TensorId part = f.multiply(pixel, t.shape(weight).empty() ? weight : as_column(t, weight));
      // Neighbours outside of the image have no part: 0 times an infinite pixel at the edge would be NaN.
      if (padding == "zeros") {
        const TensorId both = t.test(BinaryKind::kAnd, is_inside(down.place, y.size), is_inside(across.place, x.size));
        part = t.select(as_column(t, both), part, f.number(0));
      } else if (mode == "bilinear") {
        const TensorId any = t.test(BinaryKind::kOr, is_after(down.place, y.size), is_after(across.place, x.size));
        part = t.select(as_column(t, any), f.number(0), part);
      }
      sum = sum == kNoTensor ? part : f.add(sum, part);
    }
  }
  t.result(t.transpose(sum, {0, 3, 1, 2}));
}

/// The mean or maximum of the samples in each cell of a region's grid.
void roi_align(Translation& t) {
  const TensorId image = t.input(0);
  const Shape shape = t.shape(image);
  const TensorId regions = t.input(1);
  const Shape boxes = t.shape(regions);
  const std::int64_t height = t.integer("output_height", 1);
  const std::int64_t width = t.integer("output_width", 1);
  const std::int64_t samples = t.integer("sampling_ratio", 0);
  constexpr std::int64_t kMost = 1 << 12;
  if (shape.size() != 4 || boxes.size() != 2 || boxes[1] != 4 || t.shape(t.input(2)) != Shape{boxes[0]}) {
    t.fail(fmt::format("images have shape {} and regions {}; expected N,C,H,W and R,4", to_string(shape),
                       to_string(boxes)));
  }
  if (height < 1 || width < 1 || height > kMost || width > kMost || samples < 0 || samples > kMost) {
    t.fail(fmt::format("output_height {}, output_width {}, sampling_ratio {}; the range is 1 .. {}", height, width,
                       samples, kMost));
  }
  if (samples == 0) {
    t.refuse(OnnxRefusal::kDynamicShape, "sampling_ratio 0 (adaptive) is not supported; give the number of samples");
  }
  const std::string mode = t.text("mode", "avg");
  if (mode != "avg" && mode != "max") {
    t.fail(fmt::format("mode '{}'; expected avg or max", mode));
  }
  const Formula f(t, image);
  const double offset =
      t.text("coordinate_transformation_mode", t.opset() < 16 ? "output_half_pixel" : "half_pixel") == "half_pixel"
          ? 0.5
          : 0.0;
  const double scale = double{t.real("spatial_scale", 1.0F)};
  // Coordinates along one dimension, [R, cells, samples].
  const auto places = [&](std::int64_t column, std::int64_t cells) {
    const auto edge = [&](std::int64_t c) {
      return f.moved(f.scaled(t.reshape(take(t, regions, 1, {c}), {boxes[0], 1}), scale), -offset);
    };
    const TensorId begin = edge(column);
    TensorId length = f.subtract(edge(column + 2), begin);
    if (offset == 0) {
      length = t.binary(BinaryKind::kMaximum, length, f.number(1));
    }
    const TensorId step = t.count_along(t.tensor(image).type, 1, 2, cells * samples);
    const TensorId part = f.scaled(f.moved(step, 0.5), 1 / static_cast<double>(cells * samples));
    return f.add(begin, f.multiply(length, part));
  };
  const TensorId y = t.reshape(places(1, height), {boxes[0], height * samples, 1});
  const TensorId x = t.reshape(places(0, width), {boxes[0], 1, width * samples});
  const Shape points = {boxes[0], height * samples, width * samples};
  const TensorId all_y = expand(t, y, points);
  const TensorId all_x = expand(t, x, points);
  const TensorId number = expand(t, t.reshape(cast(t, t.input(2), ElementType::kInt64), {boxes[0], 1, 1}), points);
  const auto counts = [&](TensorId place, std::int64_t size) {
    return f.is_within(place, -1, static_cast<double>(size));
  };
  const TensorId valid = as_column(t, t.test(BinaryKind::kAnd, counts(all_y, shape[2]), counts(all_x, shape[3])));
  const auto inside = [&](TensorId place, std::int64_t size) {
    return f.limited(place, 0, static_cast<double>(size - 1));
  };
  const TensorId at_y = inside(all_y, shape[2]);
  const TensorId at_x = inside(all_x, shape[3]);
  const TensorId rows = t.reshape(t.transpose(image, {0, 2, 3, 1}), {shape[0] * shape[2] * shape[3], shape[1]});
  const bool largest = mode == "max";
  TensorId value = kNoTensor;
  for (const Neighbour& down : neighbours(t, f, at_y, "bilinear")) {
    for (const Neighbour& across : neighbours(t, f, at_x, "bilinear")) {
      const TensorId pixel = pixels(t, rows, shape[0], number, inside(down.place, shape[2]), shape[2],
                                    inside(across.place, shape[3]), shape[3]);
      const TensorId weighted = f.multiply(pixel, as_column(t, f.multiply(down.weight, across.weight)));
      // Neighbours outside of the image have no part: 0 times an infinite pixel at the edge would be NaN.
      const TensorId outside = t.test(BinaryKind::kOr, f.is_beyond(down.place, static_cast<double>(shape[2] - 1)),
                                      f.is_beyond(across.place, static_cast<double>(shape[3] - 1)));
      const TensorId part = t.select(valid, t.select(as_column(t, outside), f.number(0), weighted), f.number(0));
      value = value == kNoTensor ? part : largest ? t.binary(BinaryKind::kMaximum, value, part) : f.add(value, part);
    }
  }
  const TensorId cells = t.reshape(value, {boxes[0], height, samples, width, samples, shape[1]});
  t.result(t.transpose(reduce(t, largest ? ReduceKind::kMax : ReduceKind::kMean, cells, {2, 4}, false), {0, 3, 1, 2}));
}

}  // namespace systole::graph::onnx_file
