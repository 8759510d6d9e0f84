// SPDX-License-Identifier: Apache-2.0
// Reductions over axes, and softmax.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "function_names.hpp"
#include "onnx_images.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {

TensorId reduce(Translation& t, ReduceKind kind, TensorId id, const std::vector<int>& axes, bool keep) {
  if (t.shape(id).empty() || axes.empty()) {
    return id;
  }
  return t.emit(Reduce{kind, axes, keep}, {id}, t.tensor(id).type);
}

namespace {

/// Axes of the node from an attribute or, in later operator sets, an input; all axes if it names none.
std::vector<int> axes_of(Translation& t, TensorId input, bool& nothing) {
  const std::size_t rank = t.shape(input).size();
  std::vector<std::int64_t> named;
  if (const auto attribute = t.integers("axes")) {
    named = *attribute;
  } else if (t.has_input(1)) {
    named = t.integers_of(1, "the axes");
  }
  if (named.empty()) {
    nothing = t.integer("noop_with_empty_axes", 0) != 0;
    std::vector<int> all(rank);
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  std::vector<int> axes;
  for (const std::int64_t axis : named) {
    axes.push_back(static_cast<int>(t.axis(axis, rank)));
  }
  std::sort(axes.begin(), axes.end());
  return axes;
}

/// A mean over height and width becomes one of an image, with axes 1 and 2, which the device supports.
TensorId mean(Translation& t, TensorId x, const std::vector<int>& axes, bool keep) {
  if (t.shape(x).size() != 4 || axes != std::vector<int>{2, 3}) {
    return reduce(t, ReduceKind::kMean, x, axes, keep);
  }
  const TensorId result = reduce(t, ReduceKind::kMean, to_image(t, x), {1, 2}, keep);
  return keep ? from_image(t, result, 4) : result;
}

}  // namespace

void reduction(Translation& t) {
  const TensorId x = t.plain(t.input(0));
  const std::string_view type = t.type();
  bool nothing = false;
  std::vector<int> axes = axes_of(t, x, nothing);
  const bool keep = t.integer("keepdims", 1) != 0;
  if (nothing) {
    axes.clear();
  }
  const auto sum = [&](TensorId of) { return reduce(t, ReduceKind::kSum, of, axes, keep); };
  if (type == "ReduceL1") {
    t.result(sum(t.unary(UnaryKind::kAbs, x)));
  } else if (type == "ReduceL2") {
    t.result(t.unary(UnaryKind::kSqrt, sum(t.binary(BinaryKind::kMultiply, x, x))));
  } else if (type == "ReduceSumSquare") {
    t.result(sum(t.binary(BinaryKind::kMultiply, x, x)));
  } else if (type == "ReduceLogSum") {
    t.result(t.unary(UnaryKind::kLog, sum(x)));
  } else if (type == "ReduceLogSumExp") {
    // The largest element is subtracted before the exponential, which would overflow; an infinite one would give NaNs.
    const auto most = [&](bool keep_axes) {
      const TensorId largest = reduce(t, ReduceKind::kMax, x, axes, keep_axes);
      const TensorId infinite = t.emit(Unary{UnaryKind::kIsInfinite, 1, 1}, {largest}, ElementType::kBool);
      return t.select(infinite, t.scalar(0, x), largest);
    };
    const TensorId below = t.binary(BinaryKind::kSubtract, x, most(true));
    const TensorId rest = t.unary(UnaryKind::kLog, sum(t.unary(UnaryKind::kExp, below)));
    t.result(t.binary(BinaryKind::kAdd, rest, most(keep)));
  } else {
    const ReduceKind kind = reduce_of_onnx(type).value();
    const bool boolean = t.tensor(x).type == ElementType::kBool;
    const TensorId numbers = boolean ? cast(t, x, ElementType::kInt32) : x;
    const TensorId result =
        kind == ReduceKind::kMean ? mean(t, numbers, axes, keep) : reduce(t, kind, numbers, axes, keep);
    t.result(boolean ? cast(t, result, ElementType::kBool) : result);
  }
}

void softmax(Translation& t) { t.result(softmaxed(t, t.input(0), t.opset())); }

TensorId softmaxed(Translation& t, TensorId input, std::int64_t opset) {
  const Shape shape = t.shape(input);
  Softmax softmax;
  softmax.logarithm = t.type() == "LogSoftmax";
  if (opset >= 13) {
    softmax.axis = static_cast<int>(t.axis(t.integer("axis", -1), shape.size()));
    return t.emit(softmax, {input}, t.tensor(input).type);
  }
  // Before operator set 13: over all axes from `axis` on. QLinearSoftmax of com.microsoft has the same default in all.
  const auto split = static_cast<std::ptrdiff_t>(t.axis(t.integer("axis", t.is_microsoft() ? -1 : 1), shape.size()));
  const Shape rows = {count(Shape(shape.begin(), shape.begin() + split)),
                      count(Shape(shape.begin() + split, shape.end()))};
  softmax.axis = 1;
  const TensorId flat = t.reshape(input, rows);
  return t.reshape(t.emit(softmax, {flat}, t.tensor(input).type), shape);
}

}  // namespace systole::graph::onnx_file
