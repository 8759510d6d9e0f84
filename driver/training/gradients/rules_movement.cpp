// SPDX-License-Identifier: Apache-2.0
// Operators that copy elements: gradients go back where the elements came from.
#include <algorithm>

#include "infer.hpp"
#include "rules.hpp"
#include "spread.hpp"
#include "systole/execute.hpp"

namespace systole::training {
namespace {

/// The part of `shape` that begins at `start` along the axis.
TensorId part(GraphBuilder& w, TensorId x, std::size_t axis, std::int64_t start, const Shape& shape) {
  std::vector<std::int64_t> begin(shape.size());
  begin[axis] = start;
  return w.slice(x, begin, std::vector<std::int64_t>(shape.size(), 1), shape);
}

/// Indices along an axis of this size as one row of int64, those from its end counted from its front.
TensorId rows_from_front(GraphBuilder& w, TensorId indices, std::int64_t size) {
  const graph::Tensor tensor = w.tensor(indices);
  const Shape row = {graph::count(tensor.shape)};
  if (!tensor.constant) {
    const auto index = [&](std::int64_t number) {
      return w.constant(make_value(graph::ElementType::kInt64, {}, std::vector<std::int64_t>{number}));
    };
    const TensorId flat = w.reshape(indices, row);
    const TensorId places = tensor.type == graph::ElementType::kInt64
                                ? flat
                                : w.append(graph::Convert{}, {flat}, graph::ElementType::kInt64);
    return w.select(w.less(places, index(0)), w.add(places, index(size)), places);
  }
  const graph::Value value = graph::constant_value(tensor);
  std::vector<std::int64_t> places;
  if (value.type == graph::ElementType::kInt64) {
    places = graph::elements<std::int64_t>(value);
  } else {
    const auto narrow = graph::elements<std::int32_t>(value);
    places.assign(narrow.begin(), narrow.end());
  }
  for (std::int64_t& place : places) {
    place += place < 0 ? size : 0;
  }
  return w.constant(make_value(graph::ElementType::kInt64, row, places));
}

}  // namespace

void differentiate(const Backward& b, const graph::Reshape&) { b.give(0, b.w.reshape(b.upstream(), b.input_shape(0))); }

void differentiate(const Backward& b, const graph::Transpose& op) {
  std::vector<int> inverse(op.permutation.size());
  for (std::size_t i = 0; i < inverse.size(); ++i) {
    inverse[static_cast<std::size_t>(op.permutation[i])] = static_cast<int>(i);
  }
  b.give(0, b.w.transpose(b.upstream(), inverse));
}

void differentiate(const Backward& b, const graph::Slice& op) {
  GraphBuilder& w = b.w;
  const Shape from = b.input_shape(0), to = w.shape(b.output());
  std::vector<std::int64_t> begin(to.size()), turn(to.size(), 1), step(to.size()), first(to.size()), after(to.size());
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    const bool backward = op.step[axis] < 0;
    begin[axis] = backward ? to[axis] - 1 : 0;
    turn[axis] = backward ? -1 : 1;
    step[axis] = to[axis] == 1 ? 1 : std::abs(op.step[axis]);
    first[axis] = op.begin[axis] + (backward ? (to[axis] - 1) * op.step[axis] : 0);
    after[axis] = from[axis] - first[axis] - to[axis] * step[axis];
  }
  TensorId g = b.upstream();
  if (std::find(turn.begin(), turn.end(), -1) != turn.end()) {
    g = w.slice(g, begin, turn, to);
  }
  b.give(0, w.pad(spread(w, g, step), first, after));
}

void differentiate(const Backward& b, const graph::Concat& op) {
  const std::size_t axis = graph::axis_of(op.axis, b.w.shape(b.output()).size());
  std::int64_t start = 0;
  for (std::size_t i = 0; i < b.inputs(); ++i) {
    const Shape shape = b.input_shape(i);
    if (b.wants(i)) {
      b.give(i, part(b.w, b.upstream(), axis, start, shape));
    }
    start += shape[axis];
  }
}

void differentiate(const Backward& b, const graph::Split& op) {
  std::vector<TensorId> parts;
  for (std::size_t i = 0; i < b.outputs(); ++i) {
    const TensorId g = b.upstream(i);
    parts.push_back(g == graph::kNoTensor ? b.w.zeros(b.output(i), b.w.shape(b.output(i))) : g);
  }
  b.give(0, b.w.concat(parts, op.axis));
}

void differentiate(const Backward& b, const graph::Pad& op) {
  if (op.mode != graph::Pad::Mode::kConstant) {
    b.refuse("only padding with a constant has a rule");
  }
  std::vector<std::int64_t> before(op.before.size()), after(op.after.size());
  std::transform(op.before.begin(), op.before.end(), before.begin(), std::negate<>());
  std::transform(op.after.begin(), op.after.end(), after.begin(), std::negate<>());
  b.give(0, b.w.pad(b.upstream(), before, after));
}

/// Slices that were taken more than once get the sum.
void differentiate(const Backward& b, const graph::Gather& op) {
  GraphBuilder& w = b.w;
  const Shape from = b.input_shape(0);
  const std::size_t axis = graph::axis_of(op.axis, from.size());
  const TensorId places = rows_from_front(w, b.input(1), from[axis]);
  Shape flat = from;
  flat[axis] = w.shape(places)[0];
  std::vector<int> to_front = graph::all_axes(from.size()), back(from.size());
  std::rotate(to_front.begin(), to_front.begin() + static_cast<std::ptrdiff_t>(axis),
              to_front.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  for (std::size_t i = 0; i < back.size(); ++i) {
    back[static_cast<std::size_t>(to_front[i])] = static_cast<int>(i);
  }
  const TensorId updates = w.transpose(w.reshape(b.upstream(), flat), to_front);
  Shape rows = w.shape(updates);
  rows[0] = from[axis];
  const TensorId sum =
      w.append(graph::Scatter{graph::Scatter::Combine::kAdd}, {w.zeros(updates, rows), places, updates});
  b.give(0, w.transpose(sum, back));
}

}  // namespace systole::training
