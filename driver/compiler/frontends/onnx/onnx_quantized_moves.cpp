// SPDX-License-Identifier: Apache-2.0
#include "onnx_quantized_moves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "graph_builder.hpp"
#include "quantized_types.hpp"

namespace systole::graph::onnx_file {
namespace {

template <class Kind>
bool is(const Operator& op) {
  return std::holds_alternative<Kind>(op.kind);
}

/// Whether a stored integer of every scale is this number, bit for bit, when it is dequantized.
bool is_step(double value, const Tensor& tensor) {
  const Quantization& q = *tensor.quantization;
  const IntegerRange range = integer_range(tensor.type);
  const auto number = static_cast<float>(value);
  for (std::size_t i = 0; i < q.scale.size(); ++i) {
    const float steps = std::nearbyint(number / q.scale[i]);
    const double stored = double{steps} + q.zero_point[i];
    const bool same = q.scale[i] * steps == number && (steps != 0 || !std::signbit(number));
    if (!same || stored < static_cast<double>(range.min) || stored > static_cast<double>(range.max)) {
      return false;
    }
  }
  return true;
}

/// The place of an axis after a reshape that leaves it whole; -1 if it does not.
int axis_after(const Shape& from, int axis, const Shape& to) {
  const auto before = [](const Shape& shape, int axes) {
    return std::accumulate(shape.begin(), shape.begin() + axes, std::int64_t{1}, std::multiplies<>());
  };
  for (int other = 0; other < static_cast<int>(to.size()); ++other) {
    if (to[static_cast<std::size_t>(other)] == from[static_cast<std::size_t>(axis)] &&
        before(to, other) == before(from, axis)) {
      return other;
    }
  }
  return -1;
}

/// Whether the move leaves the indices along the axis as they are.
bool leaves_axis(const Operator& op, const Shape& from, const Shape& to, std::size_t axis) {
  if (const auto* pad = std::get_if<Pad>(&op.kind)) {
    return pad->before[axis] == 0 && pad->after[axis] == 0;
  }
  const auto* slice = std::get_if<Slice>(&op.kind);
  return slice != nullptr && slice->begin[axis] == 0 && slice->step[axis] == 1 && to[axis] == from[axis];
}

}  // namespace

bool only_moves(const Graph& graph, const Operator& op) {
  return is<Reshape>(op) || is<Transpose>(op) || is<Concat>(op) || is<Split>(op) || is<Slice>(op) || is<Pad>(op) ||
         is<ResizeNearest>(op) || (is<Gather>(op) && graph.tensor(op.inputs[1]).constant);
}

std::optional<Quantization> moved_quantization(const Operator& op, const Tensor& from, const Shape& to) {
  Quantization quantization = *from.quantization;
  if (const auto* pad = std::get_if<Pad>(&op.kind);
      pad != nullptr && pad->mode == Pad::Mode::kConstant && !is_step(pad->value, from)) {
    return std::nullopt;
  }
  if (!quantization.per_channel()) {
    return quantization;
  }
  if (const auto* transpose = std::get_if<Transpose>(&op.kind)) {
    const auto& p = transpose->permutation;
    quantization.axis = static_cast<int>(std::find(p.begin(), p.end(), quantization.axis) - p.begin());
    return quantization;
  }
  if (!leaves_axis(op, from.shape, to, static_cast<std::size_t>(quantization.axis))) {
    quantization.axis = is<Reshape>(op) ? axis_after(from.shape, quantization.axis, to) : -1;
  }
  return quantization.axis < 0 ? std::nullopt : std::optional(quantization);
}

void QuantizedMoves::replace(std::size_t place, Operator computed, const std::vector<const Operator*>& moves) {
  TensorId from = computed.outputs[0];
  Operator& last = graph_.operators[place];
  const Tensor like = graph_.tensor(last.outputs[0]);
  add(std::move(computed), place);
  for (std::size_t i = moves.size(); i-- > 1;) {
    Operator move = *moves[i];
    Tensor tensor = like;
    tensor.name = unique(graph_.tensor(move.outputs[0]).name + "/quantized");
    tensor.shape = graph_.tensor(move.outputs[0]).shape;
    move.name = unique(move.name + "/quantized");
    move.inputs[0] = from;
    from = add_tensor(graph_, std::move(tensor));
    move.outputs = {from};
    add(std::move(move), place);
  }
  Operator move = *moves[0];
  move.name = last.name;
  move.inputs[0] = from;
  move.outputs = last.outputs;
  last = std::move(move);
}

void QuantizedMoves::insert() {
  if (added_.empty()) {
    return;
  }
  std::vector<Operator> all;
  for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
    if (const auto before = added_.find(i); before != added_.end()) {
      std::move(before->second.begin(), before->second.end(), std::back_inserter(all));
    }
    all.push_back(std::move(graph_.operators[i]));
  }
  graph_.operators = std::move(all);
  added_.clear();
}

std::string QuantizedMoves::unique(const std::string& name) {
  if (names_.empty()) {
    for (const Operator& op : graph_.operators) {
      names_.insert(op.name);
    }
    for (const Tensor& tensor : graph_.tensors) {
      names_.insert(tensor.name);
    }
  }
  std::string chosen = name;
  for (int number = 2; !names_.insert(chosen).second; ++number) {
    chosen = name + std::to_string(number);
  }
  return chosen;
}

}  // namespace systole::graph::onnx_file
