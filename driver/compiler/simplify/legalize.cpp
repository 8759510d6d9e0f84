// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "graph_builder.hpp"
#include "quantized_types.hpp"
#include "simplify.hpp"

namespace systole::graph {
namespace {

/// Adds an operator that converts the tensor to the quantization of `like`, and its result.
Operator conversion(Graph& graph, const Operator& concat, TensorId from, TensorId like, std::string name) {
  Tensor tensor = graph.tensor(like);
  tensor.shape = graph.tensor(from).shape;
  tensor.name = std::move(name);
  Operator convert;
  convert.name = tensor.name;
  convert.origin = concat.origin;
  convert.kind = Convert{};
  convert.arithmetic = concat.arithmetic;
  convert.inputs = {from};
  convert.outputs = {add_tensor(graph, std::move(tensor))};
  return convert;
}

}  // namespace

int legalize(Graph& graph) {
  int conversions = 0;
  std::vector<Operator> operators;
  std::unordered_set<std::string> names;
  for (const Operator& op : graph.operators) {
    names.insert(op.name);
  }
  for (Operator& op : graph.operators) {
    const bool concat = std::holds_alternative<Concat>(op.kind);
    for (std::size_t i = 0; concat && i < op.inputs.size(); ++i) {
      const TensorId from = op.inputs[i];
      if (!graph.tensor(from).constant && !same_quantization(graph.tensor(from), graph.tensor(op.outputs[0]))) {
        std::string name = fmt::format("{}/part{}", op.name, i);
        while (!names.insert(name).second) {  // a file may use this name for an operator of its own
          name += '_';
        }
        operators.push_back(conversion(graph, op, from, op.outputs[0], std::move(name)));
        op.inputs[i] = operators.back().outputs[0];
        ++conversions;
      }
    }
    operators.push_back(std::move(op));
  }
  graph.operators = std::move(operators);
  return conversions;
}

}  // namespace systole::graph
