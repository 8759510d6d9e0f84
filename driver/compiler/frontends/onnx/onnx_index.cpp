// SPDX-License-Identifier: Apache-2.0
// Index operators: elements gathered and scattered by indices.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "infer.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

constexpr std::size_t kMostSlices = 8;  // of a gather with constant indices; beyond that one gather is cheaper

/// Number of runs with constant stride, each of which is a slice.
std::size_t runs_of(const std::vector<std::int64_t>& positions) {
  std::size_t runs = 0;
  for (std::size_t first = 0; first < positions.size(); ++runs) {
    std::size_t end = first + 1;
    while (end < positions.size() && positions[end] - positions[end - 1] == positions[first + 1] - positions[first] &&
           positions[end] != positions[end - 1]) {
      ++end;
    }
    first = end;
  }
  return runs;
}

TensorId gathered(Translation& t, TensorId data, TensorId indices, std::size_t axis) {
  return t.emit(Gather{static_cast<int>(axis)}, {data, indices}, t.tensor(data).type, t.tensor(data).quantization);
}

Shape part(const Shape& shape, std::size_t from, std::size_t to) {
  return Shape(shape.begin() + static_cast<std::ptrdiff_t>(from), shape.begin() + static_cast<std::ptrdiff_t>(to));
}
Shape joined(Shape first, const Shape& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// The index of each element along an axis, with the shape of `indices`, as int64.
TensorId coordinates(Translation& t, TensorId indices, std::size_t axis, std::int64_t size) {
  const TensorId zeros = t.binary(BinaryKind::kSubtract, indices, indices);
  return t.binary(BinaryKind::kAdd, zeros, t.count_along(ElementType::kInt64, axis, t.shape(indices).size(), size));
}

/// Appends a dimension of 1, for concatenation.
TensorId as_column(Translation& t, TensorId id) { return t.reshape(id, joined(t.shape(id), {1})); }

TensorId flat_index(Translation& t, Shape of, const std::vector<TensorId>& columns, int axis) {
  const TensorId all = columns.size() == 1 ? columns[0] : t.emit(Concat{axis}, columns, ElementType::kInt64);
  return t.emit(FlatIndex{std::move(of)}, {all}, ElementType::kInt64);
}

/// Row-major positions in a tensor of shape `data`: the index along `axis` is given, along the others it is the
/// element's own.
TensorId element_positions(Translation& t, Shape data, TensorId indices, std::size_t axis) {
  const Shape shape = t.shape(indices);
  if (shape.size() != data.size() || data.empty()) {
    t.fail(fmt::format("indices of shape {} for data {}; both must have the same number of dimensions, at least 1",
                       to_string(shape), to_string(data)));
  }
  const TensorId wide = cast(t, indices, ElementType::kInt64);
  std::vector<TensorId> columns;
  for (std::size_t i = 0; i < data.size(); ++i) {
    columns.push_back(as_column(t, i == axis ? wide : coordinates(t, wide, i, shape[i])));
  }
  const int last = static_cast<int>(data.size());
  return flat_index(t, std::move(data), columns, last);
}

TensorId flattened(Translation& t, TensorId id) { return t.reshape(id, {count(t.shape(id))}); }

Scatter::Combine combine_of(const Translation& t) {
  const std::string how = t.text("reduction", "none");
  if (how == "none") return Scatter::Combine::kReplace;
  if (how == "add") return Scatter::Combine::kAdd;
  if (how == "mul") return Scatter::Combine::kMultiply;
  if (how == "max") return Scatter::Combine::kMaximum;
  if (how == "min") return Scatter::Combine::kMinimum;
  t.fail(fmt::format("reduction '{}'; expected none, add, mul, max or min", how));
}

TensorId scattered(Translation& t, Scatter::Combine how, TensorId data, TensorId positions, TensorId updates) {
  return t.emit(Scatter{how}, {data, positions, updates}, t.tensor(data).type, t.tensor(data).quantization);
}

}  // namespace

TensorId take_or_gather(Translation& t, TensorId id, std::size_t axis, const std::vector<std::int64_t>& positions) {
  if (runs_of(positions) <= kMostSlices) {
    return take(t, id, axis, positions);
  }
  const Shape shape = {static_cast<std::int64_t>(positions.size())};
  return gathered(t, id, t.numbers(ElementType::kInt64, shape, {positions.begin(), positions.end()}), axis);
}

void gather(Translation& t) {
  const TensorId data = t.input(0);
  const TensorId indices = t.input(1);
  const Shape shape = t.shape(data);
  const std::size_t axis = t.axis(t.integer("axis", 0), shape.size());
  if (t.is_constant(indices)) {
    std::vector<std::int64_t> positions = t.integers_of(1, "the indices");
    for (std::int64_t& position : positions) {
      if (position < -shape[axis] || position >= shape[axis]) {
        t.fail(index_out_of_range(position, axis, shape[axis]));
      }
      position += position < 0 ? shape[axis] : 0;
    }
    if (runs_of(positions) <= kMostSlices) {
      const TensorId taken = take(t, data, axis, positions);
      t.result(t.reshape(taken,
                         joined(joined(part(shape, 0, axis), t.shape(indices)), part(shape, axis + 1, shape.size()))));
      return;
    }
  }
  t.result(gathered(t, data, indices, axis));
}

void gather_elements(Translation& t) {
  const TensorId data = t.input(0);
  const TensorId indices = t.input(1);
  const std::size_t axis = t.axis(t.integer("axis", 0), t.shape(data).size());
  const TensorId positions = element_positions(t, t.shape(data), indices, axis);
  t.result(gathered(t, flattened(t, data), positions, 0));
}

/// The last dimension of the indices has one index for each leading dimension of the data, after `batch` common
/// dimensions.
void gather_nd(Translation& t) {
  const TensorId data = t.input(0);
  const TensorId indices = cast(t, t.input(1), ElementType::kInt64);
  const Shape shape = t.shape(data);
  const Shape places = t.shape(indices);
  const std::int64_t batch = t.integer("batch_dims", 0);
  if (places.empty() || batch < 0 || batch >= static_cast<std::int64_t>(places.size()) ||
      batch + places.back() > static_cast<std::int64_t>(shape.size())) {
    t.fail(fmt::format("indices of shape {} into {} after {} batch dimensions: there are more indices than dimensions",
                       to_string(places), to_string(shape), batch));
  }
  const auto leading = static_cast<std::size_t>(batch + places.back());
  std::vector<TensorId> columns;
  const TensorId first = take(t, indices, places.size() - 1, {0});
  for (std::size_t i = 0; i < static_cast<std::size_t>(batch); ++i) {
    columns.push_back(coordinates(t, first, i, places[i]));
  }
  columns.push_back(indices);
  const TensorId positions = flat_index(t, part(shape, 0, leading), columns, static_cast<int>(places.size()) - 1);
  const TensorId rows = t.reshape(data, joined({count(part(shape, 0, leading))}, part(shape, leading, shape.size())));
  t.result(gathered(t, rows, positions, 0));
}

/// ScatterElements, and Scatter, its former name
void scatter_elements(Translation& t) {
  const TensorId data = t.input(0);
  const Shape shape = t.shape(data);
  const TensorId indices = t.input(1);
  const TensorId updates = t.input(2);
  if (t.shape(indices) != t.shape(updates)) {
    t.fail(fmt::format("indices have shape {} and updates {}; the shapes must be equal", to_string(t.shape(indices)),
                       to_string(t.shape(updates))));
  }
  const std::size_t axis = t.axis(t.integer("axis", 0), shape.size());
  const TensorId positions = flattened(t, element_positions(t, shape, indices, axis));
  t.result(t.reshape(scattered(t, combine_of(t), flattened(t, data), positions, flattened(t, updates)), shape));
}

void scatter_nd(Translation& t) {
  const TensorId data = t.input(0);
  const Shape shape = t.shape(data);
  const TensorId indices = t.input(1);
  const Shape places = t.shape(indices);
  if (places.empty() || places.back() > static_cast<std::int64_t>(shape.size())) {
    t.fail(fmt::format("indices of shape {} into {}: there are more indices than dimensions", to_string(places),
                       to_string(shape)));
  }
  const auto leading = static_cast<std::size_t>(places.back());
  const TensorId positions = flattened(t, t.emit(FlatIndex{part(shape, 0, leading)}, {indices}, ElementType::kInt64));
  const Shape rest = part(shape, leading, shape.size());
  const TensorId rows = t.reshape(data, joined({count(part(shape, 0, leading))}, rest));
  const TensorId updates = t.reshape(t.input(2), joined(t.shape(positions), rest));
  t.result(t.reshape(scattered(t, combine_of(t), rows, positions, updates), shape));
}

/// Puts maxima back at their indices, zeros elsewhere: indices refer to the image that was pooled.
void max_unpool(Translation& t) {
  const TensorId values = t.input(0);
  const Shape shape = t.shape(values);
  const auto kernel = t.integers("kernel_shape").value_or(std::vector<std::int64_t>{});
  const std::size_t dimensions = shape.size() < 3 ? 0 : shape.size() - 2;
  const auto strides = t.integers("strides").value_or(std::vector<std::int64_t>(dimensions, 1));
  const auto pads = t.integers("pads").value_or(std::vector<std::int64_t>(2 * dimensions, 0));
  if (dimensions == 0 || kernel.size() != dimensions || strides.size() != dimensions || pads.size() != 2 * dimensions) {
    t.fail(fmt::format("kernel_shape, strides and pads do not match the spatial dimensions of input {}",
                       to_string(shape)));
  }
  Shape image = shape;
  for (std::size_t i = 0; i < dimensions; ++i) {
    std::int64_t size = 0;
    const bool fits = !__builtin_mul_overflow(shape[2 + i] - 1, strides[i], &size) &&
                      !__builtin_add_overflow(size, kernel[i], &size) &&
                      !__builtin_sub_overflow(size, pads[i], &size) &&
                      !__builtin_sub_overflow(size, pads[dimensions + i], &size);
    if (!fits || size < 1) {
      t.fail(fmt::format("spatial dimension {} of the result would be less than 1 or exceed 2^63 - 1", i));
    }
    image[2 + i] = size;
  }
  const TensorId zero = t.numbers(t.tensor(values).type, {1}, {0});
  Pad all;  // a single zero
  all.before = {0};
  all.after = {count(image) - 1};
  const TensorId zeros = t.move(all, zero);
  const TensorId places =
      t.emit(FlatIndex{{count(image)}}, {as_column(t, flattened(t, cast(t, t.input(1), ElementType::kInt64)))},
             ElementType::kInt64);
  TensorId result = t.reshape(scattered(t, Scatter::Combine::kReplace, zeros, places, flattened(t, values)), image);
  if (t.has_input(2)) {
    const Shape wanted = t.integers_of(2, "the shape of the result");
    Pad pad;
    for (std::size_t i = 0; i < image.size(); ++i) {
      if (i >= wanted.size() || wanted.size() != image.size() || wanted[i] < image[i]) {
        t.fail(fmt::format("output_shape {}; expected at least {} in every dimension", to_string(wanted),
                           to_string(image)));
      }
      pad.before.push_back(0);
      pad.after.push_back(wanted[i] - image[i]);
    }
    result = t.move(pad, result);
  }
  t.result(result);
}

/// Reverses each sequence up to its own length.
void reverse_sequence(Translation& t) {
  const TensorId data = t.input(0);
  const Shape shape = t.shape(data);
  const std::int64_t time = t.integer("time_axis", 0);
  const std::int64_t batch = t.integer("batch_axis", 1);
  if (shape.size() < 2 || time + batch != 1 || time * batch != 0) {
    t.fail(fmt::format("time_axis {} and batch_axis {} for shape {}; expected 0 and 1, in either order", time, batch,
                       to_string(shape)));
  }
  const auto on = static_cast<std::size_t>(time);
  const TensorId step = t.count_along(ElementType::kInt64, on, 2, shape[on]);
  Shape across = {1, 1};
  across[1 - on] = shape[1 - on];
  const TensorId length = t.reshape(cast(t, t.input(1), ElementType::kInt64), across);
  const TensorId mirrored =
      t.binary(BinaryKind::kSubtract, t.binary(BinaryKind::kSubtract, length, t.scalar(1, length)), step);
  const TensorId source = t.select(t.test(BinaryKind::kLess, step, length), mirrored, step);
  const TensorId sequence = coordinates(t, source, 1 - on, shape[1 - on]);
  std::vector<TensorId> columns = {as_column(t, source), as_column(t, sequence)};
  if (on == 1) {
    std::swap(columns[0], columns[1]);
  }
  const TensorId positions = flat_index(t, part(shape, 0, 2), columns, 2);
  const TensorId rows = t.reshape(data, joined({shape[0] * shape[1]}, part(shape, 2, shape.size())));
  t.result(gathered(t, rows, positions, 0));
}

void one_hot(Translation& t) {
  const TensorId indices = cast(t, t.input(0), ElementType::kInt64);
  const Shape shape = t.shape(indices);
  const std::vector<double> depths = t.reals_of(1, "the depth");
  const double depth = depths.size() == 1 ? depths[0] : 0;
  if (!(depth >= 1) || depth > 1e9) {
    t.fail(fmt::format("the depth is {} ({} values); expected one value, 1 .. 10^9", depth, depths.size()));
  }
  const auto classes = static_cast<std::int64_t>(depth);
  const std::size_t axis = t.axis(t.integer("axis", -1), shape.size() + 1);
  Shape column = shape;
  column.insert(column.begin() + static_cast<std::ptrdiff_t>(axis), 1);
  const TensorId from_end = t.binary(BinaryKind::kAdd, indices, t.scalar(static_cast<double>(classes), indices));
  const TensorId index = t.select(t.test(BinaryKind::kLess, indices, t.scalar(0, indices)), from_end, indices);
  const TensorId hot = t.test(BinaryKind::kEqual, t.reshape(index, column),
                              t.count_along(ElementType::kInt64, axis, column.size(), classes));
  if (t.shape(t.input(2)) != Shape{2}) {
    t.fail(fmt::format("values have shape {}; expected 2 values, off and on", to_string(t.shape(t.input(2)))));
  }
  const TensorId off = t.reshape(take(t, t.input(2), 0, {0}), {});
  const TensorId on = t.reshape(take(t, t.input(2), 0, {1}), {});
  t.result(t.select(hot, on, off));
}

/// Rows where the condition holds; the condition must be constant.
void compress(Translation& t) {
  const std::vector<double> condition = t.reals_of(1, "the condition");
  TensorId data = t.input(0);
  std::size_t axis = 0;
  if (t.has("axis")) {
    axis = t.axis(t.integer("axis", 0), t.shape(data).size());
  } else {
    data = flattened(t, data);
  }
  std::vector<std::int64_t> kept;
  for (std::size_t i = 0; i < condition.size() && static_cast<std::int64_t>(i) < t.shape(data)[axis]; ++i) {
    if (condition[i] != 0) {
      kept.push_back(static_cast<std::int64_t>(i));
    }
  }
  if (kept.empty()) {
    Shape none = t.shape(data);
    none[axis] = 0;
    t.empty_result(t.tensor(data).type, none);
    return;
  }
  t.result(take(t, data, axis, kept));
}

/// Indices of nonzero elements; the input must be constant.
void non_zero(Translation& t) {
  const std::vector<double> values = t.reals_of(0, "the operand");
  const Shape shape = t.shape(t.input(0));
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0) {
      found.push_back(i);
    }
  }
  if (found.empty() || shape.empty()) {
    t.empty_result(ElementType::kInt64,
                   {static_cast<std::int64_t>(shape.size()), static_cast<std::int64_t>(found.size())});
    return;
  }
  std::vector<double> result;
  std::size_t below = values.size();
  for (const std::int64_t size : shape) {
    below /= static_cast<std::size_t>(size);
    for (const std::size_t position : found) {
      result.push_back(static_cast<double>(position / below % static_cast<std::size_t>(size)));
    }
  }
  t.result(t.numbers(ElementType::kInt64,
                     {static_cast<std::int64_t>(shape.size()), static_cast<std::int64_t>(found.size())}, result));
}

}  // namespace systole::graph::onnx_file
