// SPDX-License-Identifier: Apache-2.0
// Rotary position embeddings of ONNX and of com.microsoft: pairs of elements turned by an angle of their position.
#include "onnx_rotary.hpp"

#include <fmt/core.h>

#include "onnx_attention_core.hpp"
#include "onnx_operators.hpp"

namespace systole::graph::onnx_file {
namespace {

/// Every second column, from `begin` on.
TensorId every_second(Translation& t, TensorId id, std::int64_t begin) {
  Shape shape = t.shape(id);
  Slice slice{Shape(shape.size(), 0), Shape(shape.size(), 1)};
  slice.begin.back() = begin;
  slice.step.back() = 2;
  shape.back() /= 2;
  return t.move(slice, id, shape);
}

/// A table's rows at the positions, [B,S,R/2] or [1,S,R/2], as [B,1,S,R/2].
TensorId angles(Translation& t, TensorId table, TensorId positions) {
  TensorId rows = table;
  if (positions != kNoTensor) {
    rows = t.emit(Gather{0}, {table, positions}, t.tensor(table).type);
  }
  const Shape shape = t.shape(rows);
  if (shape.size() != 3) {
    t.fail(
        fmt::format("a table of angles has shape {}; expected [positions, half of the turned elements], or [batch, "
                    "sequence, half of them] without position ids",
                    to_string(t.shape(table))));
  }
  return t.reshape(rows, {shape[0], 1, shape[1], shape[2]});
}

}  // namespace

TensorId turned(Translation& t, TensorId heads, const RotaryAngles& by, bool interleaved) {
  const std::int64_t all = size_of(t, heads, 4, 3);
  const TensorId cosine = angles(t, by.cosine, by.positions), sine = angles(t, by.sine, by.positions);
  const std::int64_t half = t.shape(cosine).back();
  const std::int64_t size = 2 * half;
  if (t.shape(sine) != t.shape(cosine) || size > all) {
    t.fail(
        fmt::format("tables of angles give shapes {} and {} for heads of {} elements; expected equal ones of at most "
                    "half as many columns",
                    to_string(t.shape(cosine)), to_string(t.shape(sine)), all));
  }
  const TensorId part = size == all ? heads : columns(t, heads, 0, size);
  const TensorId x = interleaved ? every_second(t, part, 0) : columns(t, part, 0, half);
  const TensorId y = interleaved ? every_second(t, part, 1) : columns(t, part, half, half);
  const auto times = [&](TensorId a, TensorId b) { return t.binary(BinaryKind::kMultiply, a, b); };
  TensorId real = t.binary(BinaryKind::kSubtract, times(x, cosine), times(y, sine));
  TensorId imaginary = t.binary(BinaryKind::kAdd, times(x, sine), times(y, cosine));
  const ElementType type = t.tensor(heads).type;
  if (interleaved) {
    Shape pairs = t.shape(real);
    pairs.push_back(1);
    real = t.reshape(real, pairs);
    imaginary = t.reshape(imaginary, pairs);
  }
  const int last = static_cast<int>(t.shape(real).size()) - 1;
  const Shape whole = t.shape(part);
  TensorId result = t.reshape(t.emit(Concat{last}, {real, imaginary}, type), whole);
  if (size != all) {
    result = t.emit(Concat{3}, {result, columns(t, heads, size, all - size)}, type);
  }
  return result;
}

TensorId positions_from(Translation& t, TensorId offset, std::int64_t sequence) {
  const TensorId counted = t.count_along(ElementType::kInt64, 1, 2, sequence);
  return t.binary(BinaryKind::kAdd, counted, t.reshape(cast(t, offset, ElementType::kInt64), {1, 1}));
}

void rotary_embedding(Translation& t) {
  const bool microsoft = t.is_microsoft();
  const TensorId input = t.input(0);
  const Shape shape = t.shape(input);
  if (t.integer("is_packed_batching", 0) != 0 || t.real("scale", 1) != 1) {
    t.refuse(OnnxRefusal::kMode, "is_packed_batching and a scale other than 1 are not supported");
  }
  const RotaryAngles tables{t.input(microsoft ? 2 : 1), t.input(microsoft ? 3 : 2),
                            t.optional_input(microsoft ? 1 : 3)};
  TensorId heads = input;
  if (shape.size() == 3) {
    // Without a number of heads the tables are as wide as a head.
    const std::int64_t number = t.integer("num_heads", 0);
    const bool whole = number == 0 && !t.shape(tables.cosine).empty();
    heads = split_heads(t, input, whole ? shape[2] / (2 * t.shape(tables.cosine).back()) : number);
  } else if (shape.size() != 4) {
    t.fail(fmt::format("input has shape {}; expected [batch, sequence, hidden] or [batch, heads, sequence, head size]",
                       to_string(shape)));
  }
  RotaryAngles by = tables;
  if (by.positions != kNoTensor && count(t.shape(by.positions)) == 1 && microsoft) {
    by.positions = positions_from(t, by.positions, t.shape(heads)[2]);
  }
  const TensorId result = turned(t, heads, by, t.integer("interleaved", 0) != 0);
  t.result(shape.size() == 3 ? joined_heads(t, result) : result);
}

}  // namespace systole::graph::onnx_file
