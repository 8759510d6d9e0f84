// SPDX-License-Identifier: Apache-2.0
// Indices, selection, booleans, shapes and type casts.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "infer.hpp"
#include "quantized_types.hpp"
#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

using Code = format::OperatorCodeNumber;

Shape part(const Shape& shape, std::size_t from, std::size_t to) {
  return Shape(shape.begin() + static_cast<std::ptrdiff_t>(from), shape.begin() + static_cast<std::ptrdiff_t>(to));
}
Shape joined(Shape first, const Shape& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TensorId gathered(Translation& t, TensorId data, TensorId indices, int axis) {
  return t.emit(Gather{axis}, {data, indices}, t.tensor(data).type, t.tensor(data).quantization);
}

void require_indices(const Translation& t, TensorId id) {
  const ElementType type = t.tensor(id).type;
  if (type != ElementType::kInt32 && type != ElementType::kInt64) {
    t.fail(fmt::format("indices have type {}; expected int32 or int64", name_of(type)));
  }
}

/// The index along an axis of `shape` of each element, with a last dimension of 1.
TensorId coordinates(Translation& t, ElementType type, const Shape& shape, std::size_t axis) {
  constexpr std::int64_t kMost = 1 << 20;
  if (count(shape) > kMost) {
    t.fail(fmt::format("batched indices have shape {}; at most {} elements are supported", to_string(shape), kMost));
  }
  std::vector<std::int64_t> values(static_cast<std::size_t>(count(shape)));
  const auto behind = static_cast<std::size_t>(count(part(shape, axis + 1, shape.size())));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::int64_t>(i / behind) % shape[axis];
  }
  return t.numbers(type, joined(shape, {1}), values);
}

/// Both operands have `batch` leading dimensions, each with indices of its own.
void gather_in_batches(Translation& t, std::size_t axis, std::size_t batch) {
  const TensorId indices = t.input(1);
  const Shape shape = t.tensor(t.input(0)).shape;
  const Shape places = t.tensor(indices).shape;
  if (batch > places.size() || batch > axis || part(shape, 0, batch) != part(places, 0, batch)) {
    t.fail(fmt::format(
        "indices of shape {} for data {}, axis {}, batch_dims {}; expected equal batch dimensions before the axis",
        to_string(places), to_string(shape), axis, batch));
  }
  // The axis moves directly after the batch; the dimensions between them move after the indices, back to their place.
  std::vector<int> forth(shape.size());
  std::iota(forth.begin(), forth.end(), 0);
  const auto begin = forth.begin() + static_cast<std::ptrdiff_t>(batch);
  std::rotate(begin, forth.begin() + static_cast<std::ptrdiff_t>(axis),
              forth.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
  const TensorId data = t.transpose(t.input(0), forth);
  const Shape moved = t.tensor(data).shape;
  std::vector<TensorId> columns;
  for (std::size_t i = 0; i < batch; ++i) {
    columns.push_back(coordinates(t, t.tensor(indices).type, places, i));
  }
  columns.push_back(t.reshape(indices, joined(places, {1})));
  const TensorId all = t.emit(Concat{static_cast<int>(places.size())}, columns, t.tensor(indices).type);
  const TensorId positions = t.emit(FlatIndex{part(moved, 0, batch + 1)}, {all}, ElementType::kInt64);
  const TensorId rows =
      t.reshape(data, joined({count(part(moved, 0, batch + 1))}, part(moved, batch + 1, moved.size())));
  const TensorId made = gathered(t, rows, positions, 0);
  std::vector<int> back(t.tensor(made).shape.size());
  std::iota(back.begin(), back.end(), 0);
  const auto from = back.begin() + static_cast<std::ptrdiff_t>(batch);
  const auto middle = back.begin() + static_cast<std::ptrdiff_t>(places.size());
  std::rotate(from, middle, middle + static_cast<std::ptrdiff_t>(axis - batch));
  t.result(t.transpose(made, back));
}

void gather(Translation& t) {
  const auto* o = t.optional_options<format::GatherOptions>();
  const Shape shape = t.tensor(t.input(0)).shape;
  require_indices(t, t.input(1));
  const int axis = axis_in(o == nullptr ? 0 : o->axis(), shape);
  const int places = static_cast<int>(t.tensor(t.input(1)).shape.size());
  const int named = o == nullptr ? 0 : o->batch_dims();
  const int batch = named < 0 ? named + places : named;
  if (batch < 0 || batch > places) {
    t.fail(fmt::format("batch_dims {}; the range is {} .. {}", named, -places, places));
  }
  if (batch == 0) {
    t.add(Gather{axis}, 2);
  } else {
    gather_in_batches(t, static_cast<std::size_t>(axis), static_cast<std::size_t>(batch));
  }
}

/// The last dimension of the indices has one index for each leading dimension of the data.
void gather_nd(Translation& t) {
  const TensorId data = t.input(0);
  const TensorId indices = t.input(1);
  require_indices(t, indices);
  const Shape shape = t.tensor(data).shape;
  const Shape places = t.tensor(indices).shape;
  if (places.empty() || places.back() > static_cast<std::int64_t>(shape.size())) {
    t.fail(fmt::format("indices of shape {} into {}: there are more indices than dimensions", to_string(places),
                       to_string(shape)));
  }
  const auto leading = static_cast<std::size_t>(places.back());
  const TensorId positions = t.emit(FlatIndex{part(shape, 0, leading)}, {indices}, ElementType::kInt64);
  const TensorId rows = t.reshape(data, joined({count(part(shape, 0, leading))}, part(shape, leading, shape.size())));
  t.result(gathered(t, rows, positions, 0));
}

TensorId converted(Translation& t, TensorId id, ElementType type) {
  return t.tensor(id).type == type ? id : t.emit(Convert{}, {id}, type);
}

void arg_extreme(Translation& t) {
  const std::vector<std::int64_t> axis = t.integers(1, "the axis");
  if (axis.size() != 1) {
    t.fail(fmt::format("the axis has {} values; expected 1", axis.size()));
  }
  const ArgExtreme kind{t.code() == Code::ARG_MAX, axis_in(axis[0], t.tensor(t.input(0)).shape), false, false};
  t.result(t.emit(kind, {t.input(0)}, t.tensor(t.output()).type));
}

void select(Translation& t) { t.add(Select{}, 3); }

void compare(Translation& t) {
  const TensorId a = t.input(0);
  const TensorId b = t.input(1);
  switch (t.code()) {
    case Code::EQUAL: return t.add(Binary{BinaryKind::kEqual}, {a, b}, {t.output()});
    case Code::LESS: return t.add(Binary{BinaryKind::kLess}, {a, b}, {t.output()});
    case Code::LESS_EQUAL: return t.add(Binary{BinaryKind::kLessOrEqual}, {a, b}, {t.output()});
    case Code::GREATER: return t.add(Binary{BinaryKind::kLess}, {b, a}, {t.output()});
    case Code::GREATER_EQUAL: return t.add(Binary{BinaryKind::kLessOrEqual}, {b, a}, {t.output()});
    default: break;
  }
  t.result(t.emit(Unary{UnaryKind::kNot}, {t.emit(Binary{BinaryKind::kEqual}, {a, b}, ElementType::kBool)},
                  ElementType::kBool));
}

void logic(Translation& t) {
  if (t.code() == Code::LOGICAL_NOT) {
    t.add(Unary{UnaryKind::kNot}, 1);
  } else {
    t.add(Binary{t.code() == Code::LOGICAL_AND ? BinaryKind::kAnd : BinaryKind::kOr}, 2);
  }
}

/// SHAPE and RANK, folded at import.
void shape_of(Translation& t) {
  const Shape shape = t.tensor(t.input(0)).shape;
  const ElementType type = t.tensor(t.output()).type;
  if (type != ElementType::kInt32 && type != ElementType::kInt64) {
    t.fail(fmt::format("a shape of type {}; int32 and int64 are supported", name_of(type)));
  }
  const auto rank = static_cast<std::int64_t>(shape.size());
  if (t.code() == Code::RANK) {
    t.result(t.numbers(type, {}, {rank}));
  } else if (rank > 0) {
    t.result(t.numbers(type, {rank}, shape));
  } else {
    t.fail("the shape of a scalar has no elements and is not supported");
  }
}

/// Converts plain numbers: a scale would be lost.
void cast(Translation& t) {
  const TensorId from = t.input(0);
  for (const TensorId id : {from, t.output()}) {
    if (t.tensor(id).quantization) {
      t.fail(fmt::format("tensor '{}' has a scale, which CAST ignores; use QUANTIZE or DEQUANTIZE", t.tensor(id).name));
    }
  }
  const ElementType to = t.tensor(t.output()).type;
  const bool narrow = is_quantizable(t.tensor(from).type) || is_quantizable(to);
  const bool real = t.tensor(from).type == ElementType::kFloat32 || to == ElementType::kFloat32;
  // Real to narrow integers and back would need a scale: goes through int32, which holds all values. Real numbers
  // beyond the range of a narrow integer become its bounds; integers lose their upper bits.
  TensorId whole = from;
  if (narrow && real && is_quantizable(to)) {
    const IntegerRange range = integer_range(to);
    whole = t.emit(Unary{UnaryKind::kClip, static_cast<float>(range.min), static_cast<float>(range.max)}, {from},
                   ElementType::kFloat32);
  }
  whole = narrow && real ? converted(t, whole, ElementType::kInt32) : whole;
  t.result(converted(t, whole, to));
}

}  // namespace

Handler index_handler(Code code) {
  switch (code) {
    case Code::GATHER: return gather;
    case Code::GATHER_ND: return gather_nd;
    case Code::ARG_MAX:
    case Code::ARG_MIN: return arg_extreme;
    case Code::SELECT_V2: return select;
    case Code::EQUAL:
    case Code::NOT_EQUAL:
    case Code::LESS:
    case Code::LESS_EQUAL:
    case Code::GREATER:
    case Code::GREATER_EQUAL: return compare;
    case Code::LOGICAL_AND:
    case Code::LOGICAL_OR:
    case Code::LOGICAL_NOT: return logic;
    case Code::SHAPE:
    case Code::RANK: return shape_of;
    case Code::CAST: return cast;
    default: return nullptr;
  }
}

}  // namespace systole::graph::tflite_file
