// SPDX-License-Identifier: Apache-2.0
// What computes the tensors of a graph.
#pragma once

#include <algorithm>
#include <cstddef>

#include "systole/graph.hpp"

namespace systole::network {

/// The operator whose result the tensor is; null for inputs and constants.
inline const graph::Operator* producer(const graph::Graph& graph, graph::TensorId id) {
  for (const graph::Operator& op : graph.operators) {
    if (std::find(op.outputs.begin(), op.outputs.end(), id) != op.outputs.end()) {
      return &op;
    }
  }
  return nullptr;
}

/// The same if the operator is of this kind, else null.
template <class Kind>
const graph::Operator* producer_of(const graph::Graph& graph, graph::TensorId id) {
  const graph::Operator* op = producer(graph, id);
  return op != nullptr && std::holds_alternative<Kind>(op->kind) ? op : nullptr;
}

/// Whether it is this binary operator on float32 in ONNX's arithmetic, without an activation.
inline bool is_float(const graph::Graph& graph, const graph::Operator& op, graph::BinaryKind kind) {
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  return binary != nullptr && binary->kind == kind && binary->activation == Activation::kNone &&
         op.arithmetic == graph::Arithmetic::kOnnx && graph.tensor(op.outputs[0]).type == graph::ElementType::kFloat32;
}

/// Operators that read the tensor, and the graph itself if it is an output.
inline std::size_t uses_of(const graph::Graph& graph, graph::TensorId id) {
  auto uses = std::count(graph.outputs.begin(), graph.outputs.end(), id);
  for (const graph::Operator& op : graph.operators) {
    uses += std::count(op.inputs.begin(), op.inputs.end(), id);
  }
  return static_cast<std::size_t>(uses);
}

}  // namespace systole::network
