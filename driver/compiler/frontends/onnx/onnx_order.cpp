// SPDX-License-Identifier: Apache-2.0
// ArgMax/ArgMin, TopK and cumulative sums.
#include <fmt/core.h>

#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

void arg_extreme(Translation& t) {
  const TensorId input = t.plain(t.input(0));
  ArgExtreme kind;
  kind.largest = t.type() == "ArgMax";
  kind.axis = static_cast<int>(t.axis(t.integer("axis", 0), t.shape(input).size()));
  kind.keep_dimensions = t.integer("keepdims", 1) != 0;
  kind.last = t.integer("select_last_index", 0) != 0;
  t.result(t.emit(kind, {input}, ElementType::kInt64));
}

/// 1 at the first maximum, 0 elsewhere.
void hardmax(Translation& t) {
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  const bool flattens = t.opset() < 13;  // older sets: over all axes from this one on
  const std::size_t axis = t.axis(t.integer("axis", flattens ? 1 : -1), shape.size());
  const auto split = shape.begin() + static_cast<std::ptrdiff_t>(axis);
  const TensorId rows =
      flattens ? t.reshape(input, {count(Shape(shape.begin(), split)), count(Shape(split, shape.end()))}) : input;
  const std::size_t on = flattens ? 1 : axis;
  const TensorId best = t.emit(ArgExtreme{true, static_cast<int>(on), true, false}, {rows}, ElementType::kInt64);
  const TensorId places = t.count_along(ElementType::kInt64, on, t.shape(rows).size(), t.shape(rows)[on]);
  t.result(t.reshape(cast(t, t.test(BinaryKind::kEqual, best, places), t.tensor(input).type), shape));
}

void top_k(Translation& t) {
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  const std::size_t axis = t.axis(t.integer("axis", -1), shape.size());
  const std::vector<std::int64_t> named =
      t.opset() < 10 ? std::vector<std::int64_t>{t.needed_integer("k")} : t.integers_of(1, "the number of elements");
  if (named.size() != 1 || named[0] < 0 || named[0] > shape[axis]) {
    t.fail(fmt::format("k is {} ({} values); expected one value, 0 .. {}", named.empty() ? 0 : named[0], named.size(),
                       shape[axis]));
  }
  if (named[0] == 0) {
    Shape none = shape;
    none[axis] = 0;
    t.empty_result(t.tensor(input).type, none, 0);
    t.empty_result(ElementType::kInt64, none, 1);
    return;
  }
  Tensor values = t.tensor(input);
  values.constant = nullptr;
  values.shape[axis] = named[0];
  const Tensor places{"", ElementType::kInt64, values.shape, {}, nullptr};
  const auto results =
      t.emit_all(TopK{static_cast<int>(axis), t.integer("largest", 1) != 0}, {input}, {values, places});
  t.result(results[0], 0);
  t.result(results[1], 1);
}

void cumulative_sum(Translation& t) {
  const TensorId input = t.plain(t.input(0));
  const std::vector<std::int64_t> axis = t.integers_of(1, "the axis");
  if (axis.size() != 1) {
    t.fail(fmt::format("the axis has {} values; expected 1", axis.size()));
  }
  const auto along = static_cast<int>(t.axis(axis[0], t.shape(input).size()));
  t.result(t.emit(CumulativeSum{along, t.integer("exclusive", 0) != 0, t.integer("reverse", 0) != 0}, {input},
                  t.tensor(input).type));
}

}  // namespace systole::graph::onnx_file
