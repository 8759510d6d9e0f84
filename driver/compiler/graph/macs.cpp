// SPDX-License-Identifier: Apache-2.0
#include "systole/graph.hpp"

namespace systole::graph {
namespace {

std::uint64_t elements(const Graph& graph, TensorId id) {
  return static_cast<std::uint64_t>(count(graph.tensor(id).shape));
}
std::uint64_t dimension(const Graph& graph, TensorId id, std::size_t axis) {
  return static_cast<std::uint64_t>(graph.tensor(id).shape.at(axis));
}

}  // namespace

std::uint64_t useful_macs(const Graph& graph, const Operator& op) {
  if (std::holds_alternative<Conv2d>(op.kind)) {
    const TensorId weights = op.inputs.at(1);
    return elements(graph, op.outputs.at(0)) * (elements(graph, weights) / dimension(graph, weights, 0));
  }
  if (std::holds_alternative<Dense>(op.kind)) {
    return elements(graph, op.outputs.at(0)) * dimension(graph, op.inputs.at(1), 1);
  }
  if (const auto* product = std::get_if<MatMul>(&op.kind)) {
    const std::size_t rank = graph.tensor(op.inputs.at(0)).shape.size();
    return elements(graph, op.outputs.at(0)) * dimension(graph, op.inputs[0], rank - (product->transpose_a ? 2 : 1));
  }
  if (std::holds_alternative<Lstm>(op.kind)) {
    const std::uint64_t weights =
        elements(graph, op.inputs.at(Lstm::kInputWeights)) + elements(graph, op.inputs.at(Lstm::kHiddenWeights));
    return 4 * weights * (elements(graph, op.inputs[0]) / dimension(graph, op.inputs[0], 2));
  }
  if (std::holds_alternative<Svdf>(op.kind)) {
    const std::uint64_t weights =
        elements(graph, op.inputs.at(Svdf::kFeatureWeights)) + elements(graph, op.inputs.at(Svdf::kTimeWeights));
    return weights * dimension(graph, op.inputs[0], 0);
  }
  return 0;
}

}  // namespace systole::graph
