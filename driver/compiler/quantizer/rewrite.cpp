// SPDX-License-Identifier: Apache-2.0
#include "rewrite.hpp"

#include <algorithm>

#include "attributes.hpp"
#include "graph_builder.hpp"
#include "systole/execute.hpp"

namespace systole::quantizer {

using graph::Graph;
using graph::Operator;
using graph::Tensor;
using graph::TensorId;

std::vector<float> floats_of(const Tensor& tensor) {
  if (!tensor.constant || tensor.type != graph::ElementType::kFloat32) {
    throw graph::GraphError(graph::title(tensor).append(": a constant of float32 is needed here"));
  }
  return graph::elements<float>(graph::constant_value(tensor));
}

TensorId add_floats(Graph& graph, const std::string& name, const graph::Shape& shape,
                    const std::vector<float>& values) {
  return add_tensor(graph, constant_tensor(name, make_value(graph::ElementType::kFloat32, shape, values)));
}

bool is_weighted(const Graph& graph, const Operator& op) {
  if (!std::holds_alternative<graph::Conv2d>(op.kind) && !std::holds_alternative<graph::Dense>(op.kind)) {
    return false;
  }
  const auto constant = [&](TensorId id) {
    return graph.tensor(id).constant != nullptr && graph.tensor(id).type == graph::ElementType::kFloat32;
  };
  return constant(op.inputs[1]) && (op.inputs.size() < 3 || op.inputs[2] == graph::kNoTensor || constant(op.inputs[2]));
}

Parameters parameters_of(const Graph& graph, const Operator& op) {
  const Tensor& tensor = graph.tensor(op.inputs[1]);
  const std::vector<float> weights = floats_of(tensor);
  Parameters parameters{
      tensor.shape, {weights.begin(), weights.end()}, std::vector<double>(static_cast<std::size_t>(tensor.shape[0]))};
  if (op.inputs.size() > 2 && op.inputs[2] != graph::kNoTensor) {
    const std::vector<float> bias = floats_of(graph.tensor(op.inputs[2]));
    parameters.bias.assign(bias.begin(), bias.end());
  }
  return parameters;
}

void set_parameters(Graph& graph, std::size_t op, const Parameters& parameters) {
  const auto rounded = [](const std::vector<double>& values) {
    std::vector<float> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(),
                   [](double value) { return static_cast<float>(value); });
    return result;
  };
  const std::string name = graph.operators[op].name;
  const TensorId weights =
      add_floats(graph, std::string(name).append("/weights"), parameters.shape, rounded(parameters.weights));
  const TensorId bias =
      add_floats(graph, std::string(name).append("/bias"), {parameters.shape[0]}, rounded(parameters.bias));
  graph.operators[op].inputs = {graph.operators[op].inputs[0], weights, bias};
}

std::size_t input_channel(const Operator& op, const graph::Shape& weights, std::size_t output, std::size_t tap) {
  const auto depth = static_cast<std::size_t>(weights.back());
  std::size_t first = 0;
  if (const auto* convolution = std::get_if<graph::Conv2d>(&op.kind)) {
    const std::size_t outputs_per_group =
        static_cast<std::size_t>(weights[0]) / static_cast<std::size_t>(convolution->groups);
    first = output / outputs_per_group * depth;
  }
  return first + tap % depth;
}

void merge_into(Graph& graph, std::size_t before, std::size_t op) {
  graph.operators[before].outputs[0] = graph.operators[op].outputs[0];
  graph.operators.erase(graph.operators.begin() + static_cast<std::ptrdiff_t>(op));
}

void bypass(Graph& graph, std::size_t op, TensorId instead) {
  const TensorId gone = graph.operators[op].outputs[0];
  graph.operators.erase(graph.operators.begin() + static_cast<std::ptrdiff_t>(op));
  for (Operator& reader : graph.operators) {
    std::replace(reader.inputs.begin(), reader.inputs.end(), gone, instead);
  }
}

}  // namespace systole::quantizer
