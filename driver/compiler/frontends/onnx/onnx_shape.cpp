// SPDX-License-Identifier: Apache-2.0
// Reshapes, shapes as values, and constants made of them.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "element_visit.hpp"
#include "infer.hpp"
#include "onnx_operators.hpp"
#include "onnx_tensors.hpp"

namespace systole::graph::onnx_file {

namespace {

/// The new shape of a tensor without elements.
void reshape_empty(Translation& t) {
  const Tensor& input = t.empty_input(0);
  Shape result =
      t.opset() < 5 ? t.integers("shape").value_or(std::vector<std::int64_t>{}) : t.integers_of(1, "the shape");
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 0 && t.integer("allowzero", 0) == 0 && i < input.shape.size()) {
      result[i] = input.shape[i];
    } else if (result[i] == -1) {
      result[i] = 0;  // as many rows as there are elements
    }
  }
  if (count(result) != 0) {
    t.fail(fmt::format("an input without elements cannot have shape {}", to_string(result)));
  }
  t.empty_result(input.type, result);
}

}  // namespace

void reshape(Translation& t) {
  if (t.is_empty(0)) {
    reshape_empty(t);
    return;
  }
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  if (t.is_empty(1)) {
    t.result(t.reshape(input, {}));
    return;
  }
  const auto wanted =
      t.opset() < 5 ? t.integers("shape").value_or(std::vector<std::int64_t>{}) : t.integers_of(1, "the shape");
  const bool keeps_zero = t.integer("allowzero", 0) != 0;
  Shape result = wanted;
  std::int64_t known = 1;
  int open = -1;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (result[i] == 0) {
      if (keeps_zero || i >= shape.size()) {
        t.fail(fmt::format("dimension {} of the new shape is 0, but the input has {} elements", i, count(shape)));
      }
      result[i] = shape[i];
    }
    if (result[i] == -1 && open < 0) {
      open = static_cast<int>(i);
    } else if (result[i] < 1 || __builtin_mul_overflow(known, result[i], &known)) {
      t.fail(
          fmt::format("dimension {} of the new shape is {}; dimensions must be positive, one may be -1", i, result[i]));
    }
  }
  if (open >= 0) {
    if (count(shape) % known != 0) {
      t.fail(fmt::format("{} elements are not a multiple of {}, the product of the known dimensions", count(shape),
                         known));
    }
    result[static_cast<std::size_t>(open)] = count(shape) / known;
  }
  t.result(t.reshape(input, result));
}

void flatten(Translation& t) {
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  const std::int64_t axis = t.integer("axis", 1);
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (axis < -rank || axis > rank) {
    t.fail(fmt::format("axis {} of {} dimensions; the range is {} .. {}", axis, rank, -rank, rank));
  }
  const auto at = shape.begin() + (axis < 0 ? axis + rank : axis);
  t.result(t.reshape(input, {count(Shape(shape.begin(), at)), count(Shape(at, shape.end()))}));
}

namespace {

std::vector<std::int64_t> axes_of(Translation& t) {
  if (const auto attribute = t.integers("axes")) {
    return *attribute;
  }
  return t.has_input(1) ? t.integers_of(1, "the axes") : std::vector<std::int64_t>{};
}

}  // namespace

void squeeze(Translation& t) {
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  std::set<std::size_t> axes;
  for (const std::int64_t axis : axes_of(t)) {
    axes.insert(t.axis(axis, shape.size()));
  }
  const bool all = axes.empty();
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const bool drops = all ? shape[i] == 1 : axes.count(i) != 0;
    if (drops && shape[i] != 1) {
      t.fail(fmt::format("axis {} of {} is not 1", i, to_string(shape)));
    }
    if (!drops) {
      result.push_back(shape[i]);
    }
  }
  t.result(t.reshape(input, result));
}

void unsqueeze(Translation& t) {
  const TensorId input = t.input(0);
  const std::vector<std::int64_t> named = axes_of(t);
  const Shape shape = t.shape(input);
  constexpr std::size_t kMostDimensions = 64;
  if (named.size() > kMostDimensions) {
    t.fail(fmt::format("{} new dimensions; at most {} are supported", named.size(), kMostDimensions));
  }
  std::set<std::size_t> axes;
  for (const std::int64_t axis : named) {
    if (!axes.insert(t.axis(axis, shape.size() + named.size())).second) {
      t.fail(fmt::format("axis {} is named twice", axis));
    }
  }
  Shape result;
  auto next = shape.begin();
  for (std::size_t i = 0; i < shape.size() + named.size(); ++i) {
    result.push_back(axes.count(i) != 0 ? 1 : *next++);
  }
  t.result(t.reshape(input, result));
}

/// Repeats element 0 along each such dimension.
TensorId expand(Translation& t, TensorId id, Shape shape) {
  Shape own = t.shape(id);
  own.insert(own.begin(), shape.size() - own.size(), 1);
  id = t.reshape(id, own);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (own[axis] != shape[axis]) {
      constexpr std::int64_t kMost = 1 << 24;
      if (shape[axis] > kMost) {
        t.refuse(OnnxRefusal::kTooLarge,
                 fmt::format("a dimension is broadcast to {}; at most {} is supported", shape[axis], kMost));
      }
      const std::vector<double> zeros(static_cast<std::size_t>(shape[axis]));
      const TensorId indices = t.numbers(ElementType::kInt64, {shape[axis]}, zeros);
      id = t.emit(Gather{static_cast<int>(axis)}, {id, indices}, t.tensor(id).type, t.tensor(id).quantization);
    }
  }
  return id;
}

void expand_operator(Translation& t) {
  const TensorId input = t.input(0);
  // A shape without elements is that of a scalar.
  const std::vector<std::int64_t> wanted = t.is_empty(1) ? Shape{} : t.integers_of(1, "the shape");
  if (count(wanted) == 0) {
    Shape result = t.shape(input).size() > wanted.size() ? t.shape(input) : wanted;
    std::copy(wanted.begin(), wanted.end(), result.end() - static_cast<std::ptrdiff_t>(wanted.size()));
    t.empty_result(t.tensor(input).type, result);
    return;
  }
  t.result(expand(t, input, broadcast(t.shape(input), wanted)));
}

void constant(Translation& t) {
  if (t.has("sparse_value")) {
    t.refuse(OnnxRefusal::kSparse, "is sparse; only dense constants are supported");
  }
  if (t.has("value_string") || t.has("value_strings")) {
    t.refuse(OnnxRefusal::kString, "is a string; only numbers are supported");
  }
  Tensor tensor;
  if (const auto* value = t.tensor_attribute("value")) {
    tensor = widened(constant_tensor(*value, t.title()));
    if (count(tensor.shape) == 0) {
      t.empty_result(tensor);
      return;
    }
  } else if (t.has("value_int")) {
    tensor = integers_tensor("", {t.integer("value_int", 0)});
    tensor.shape = {};
  } else if (t.has("value_float")) {
    tensor = reals_tensor("", {}, {t.real("value_float", 0)});
  } else if (const auto integers = t.integers("value_ints"); integers && !integers->empty()) {
    tensor = integers_tensor("", *integers);
  } else if (const auto reals = t.reals("value_floats"); reals && !reals->empty()) {
    tensor = reals_tensor("", {static_cast<std::int64_t>(reals->size())}, *reals);
  } else {
    t.fail("has no value");
  }
  tensor.name.clear();
  t.result(t.add_tensor(std::move(tensor)));
}

void constant_of_shape(Translation& t) {
  if (t.is_empty(0)) {  // no dimensions: a scalar
    Tensor one = t.tensor_attribute("value") != nullptr
                     ? widened(constant_tensor(*t.tensor_attribute("value"), t.title()))
                     : reals_tensor("", {}, {0.0F});
    one.shape = {};
    one.name.clear();
    t.result(t.add_tensor(std::move(one)));
    return;
  }
  const Shape shape = t.integers_of(0, "the shape");
  Tensor one = reals_tensor("", {1}, {0.0F});
  if (const auto* value = t.tensor_attribute("value")) {
    one = widened(constant_tensor(*value, t.title()));
  }
  if (count(shape) == 0) {
    t.empty_result(one.type, shape);
    return;
  }
  const std::size_t size = element_size(one.type);
  if (count(one.shape) != 1 || count(shape) > kMaxTensorBytes / static_cast<std::int64_t>(size)) {
    t.fail(fmt::format(
        "value has {} elements, the result has shape {}; expected 1 element and a result of at most {} bytes",
        count(one.shape), to_string(shape), kMaxTensorBytes));
  }
  t.spend(static_cast<std::size_t>(count(shape)) * size);
  Bytes all(static_cast<std::size_t>(count(shape)) * size);
  for (std::size_t at = 0; at < all.size(); ++at) {
    all[at] = (*one.constant)[at % size];
  }
  one.shape = shape;
  one.name.clear();
  one.constant = std::make_shared<Bytes>(std::move(all));
  t.result(t.add_computed(std::move(one)));
}

void shape_operator(Translation& t) {
  const Shape shape = t.is_empty(0) ? t.empty_input(0).shape : t.shape(t.input(0));
  const auto rank = static_cast<std::int64_t>(shape.size());
  const auto bound = [&](std::int64_t value) {
    return std::clamp<std::int64_t>(value < 0 ? value + rank : value, 0, rank);
  };
  const std::int64_t start = bound(t.integer("start", 0));
  const std::int64_t end = bound(t.integer("end", rank));
  if (start >= end) {
    t.empty_result(ElementType::kInt64, {0});
    return;
  }
  t.result(t.add_tensor(integers_tensor("", std::vector<std::int64_t>(shape.begin() + start, shape.begin() + end))));
}

void size_operator(Translation& t) {
  Tensor size = integers_tensor("", {t.is_empty(0) ? 0 : count(t.shape(t.input(0)))});
  size.shape = {};
  t.result(t.add_tensor(std::move(size)));
}

namespace {

constexpr std::int64_t kMostInRange = 1 << 24;

/// Computes a range of integers without rounding any of them.
void range_of_integers(Translation& t, ElementType type) {
  const auto value = [&](std::size_t i, const char* what) {
    const std::vector<std::int64_t> values = t.integers_of(i, what);
    if (values.size() != 1) {
      t.fail(fmt::format("{} has {} values; expected 1", what, values.size()));
    }
    return values[0];
  };
  const std::int64_t start = value(0, "the start");
  const std::int64_t limit = value(1, "the limit");
  const std::int64_t step = value(2, "the step");
  if (step == 0) {
    t.fail("the step is 0; expected another number");
  }
  const bool any = step > 0 ? start < limit : start > limit;
  // As unsigned numbers distance and step cannot overflow.
  const auto distance = [](std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
  };
  const std::uint64_t length = step > 0 ? distance(start, limit) : distance(limit, start);
  const std::uint64_t stride = step > 0 ? distance(0, step) : distance(step, 0);
  const std::uint64_t number = any ? (length - 1) / stride + 1 : 0;
  if (number > static_cast<std::uint64_t>(kMostInRange)) {
    t.fail(fmt::format("{} elements from {} to {} by {}; at most 2^24", number, start, limit, step));
  }
  if (number == 0) {
    return t.empty_result(type, {0});
  }
  std::vector<std::int64_t> values = {start};
  while (values.size() < number) {
    values.push_back(values.back() + step);
  }
  t.result(cast(t, t.add_tensor(integers_tensor("", values)), type));
}

}  // namespace

void range(Translation& t) {
  const ElementType type = t.tensor(t.input(0)).type;
  if (!with_element(type, [](auto element) { return kIsReal<decltype(element)>; })) {
    return range_of_integers(t, type);
  }
  const double start = t.real_of(0, "the start");
  const double limit = t.real_of(1, "the limit");
  const double step = t.real_of(2, "the step");
  const double number = std::ceil((limit - start) / step);
  if (std::isnan(number) || number > static_cast<double>(kMostInRange)) {
    t.fail(fmt::format("{} elements from {} to {} by {}; at most 2^24", number, start, limit, step));
  }
  if (number < 1) {
    t.empty_result(type, {0});
    return;
  }
  std::vector<double> values;
  for (double i = 0; i < number; i += 1) {
    values.push_back(start + i * step);
  }
  const Shape shape = {static_cast<std::int64_t>(values.size())};
  const TensorId id =
      t.add_tensor({"",
                    ElementType::kFloat64,
                    shape,
                    {},
                    std::make_shared<Bytes>(make_value<double>(ElementType::kFloat64, shape, values).data)});
  t.result(cast(t, id, type));
}

}  // namespace systole::graph::onnx_file
