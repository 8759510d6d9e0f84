// SPDX-License-Identifier: Apache-2.0
// Graphs of one operator.
#pragma once

#include <fmt/core.h>

#include <utility>
#include <vector>

#include "infer.hpp"
#include "systole/execute.hpp"

namespace systole::graph::test {

inline Tensor tensor(const Shape& shape, ElementType type = ElementType::kFloat32) {
  Tensor result;
  result.type = type;
  result.shape = shape;
  return result;
}

inline Tensor quantized(const Shape& shape, float scale, std::int32_t zero_point,
                        ElementType type = ElementType::kInt8) {
  Tensor result = tensor(shape, type);
  result.quantization = Quantization{{scale}, {zero_point}, 0};
  return result;
}

template <class Element>
Tensor constant(Tensor of, const std::vector<Element>& values) {
  of.constant = std::make_shared<const Bytes>(make_value(of.type, of.shape, values).data);
  return of;
}

/// Inputs that are not constant become inputs of the graph.
inline Graph one_operator(OperatorKind kind, std::vector<Tensor> inputs, std::vector<Tensor> outputs,
                          Arithmetic arithmetic = Arithmetic::kTfLite) {
  Graph graph;
  Operator op;
  op.name = "op";
  op.kind = std::move(kind);
  op.arithmetic = arithmetic;
  const auto add = [&](Tensor& tensor, std::vector<TensorId>& ids) {
    const auto id = static_cast<TensorId>(graph.tensors.size());
    tensor.name = fmt::format("t{}", id);
    graph.tensors.push_back(std::move(tensor));
    ids.push_back(id);
  };
  for (Tensor& input : inputs) {
    add(input, op.inputs);
    if (!graph.tensors.back().constant) {
      graph.inputs.push_back(op.inputs.back());
    }
  }
  for (Tensor& output : outputs) {
    add(output, op.outputs);
  }
  graph.outputs = op.outputs;
  graph.operators.push_back(std::move(op));
  return graph;
}

/// Validates and runs it.
template <class Result, class Element>
std::vector<Result> run(const Graph& graph, const std::vector<std::vector<Element>>& inputs) {
  validate(graph);
  std::vector<Value> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& input = graph.tensor(graph.inputs.at(i));
    values.push_back(make_value(input.type, input.shape, inputs[i]));
  }
  return elements<Result>(execute(graph, values).at(0));
}

}  // namespace systole::graph::test
