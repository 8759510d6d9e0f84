// SPDX-License-Identifier: Apache-2.0
#include "graph_listing.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "attributes.hpp"

namespace systole::graph {
namespace {

nlohmann::ordered_json tensor_json(const Tensor& tensor) {
  nlohmann::ordered_json json = {{"name", tensor.name},
                                 {"type", name_of(tensor.type)},
                                 {"shape", tensor.shape},
                                 {"constant", tensor.constant != nullptr}};
  if (tensor.quantization) {
    json["scale"] = tensor.quantization->scale;
    json["zero_point"] = tensor.quantization->zero_point;
    json["axis"] = tensor.quantization->axis;
  }
  return json;
}

nlohmann::ordered_json tensors_json(const Graph& graph, const std::vector<TensorId>& ids) {
  auto json = nlohmann::ordered_json::array();
  for (const TensorId id : ids) {
    json.push_back(id == kNoTensor ? nlohmann::ordered_json(nullptr) : tensor_json(graph.tensor(id)));
  }
  return json;
}

}  // namespace

std::uint64_t total_macs(const Graph& graph) {
  std::uint64_t sum = 0;
  for (const Operator& op : graph.operators) {
    sum += useful_macs(graph, op);
  }
  return sum;
}

std::uint64_t constant_bytes(const Graph& graph) {
  std::set<const Bytes*> seen;
  std::uint64_t sum = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.constant && seen.insert(tensor.constant.get()).second) {
      sum += tensor.constant->size();
    }
  }
  return sum;
}

nlohmann::ordered_json to_json(const Graph& graph) {
  auto operators = nlohmann::ordered_json::array();
  for (const Operator& op : graph.operators) {
    operators.push_back({{"name", op.name},
                         {"origin", op.origin},
                         {"kind", name_of(op.kind)},
                         {"attributes", attributes(op.kind)},
                         {"arithmetic", op.arithmetic == Arithmetic::kTfLite   ? "tflite"
                                        : op.arithmetic == Arithmetic::kLiteRt ? "litert"
                                                                               : "onnx"},
                         {"inputs", tensors_json(graph, op.inputs)},
                         {"outputs", tensors_json(graph, op.outputs)},
                         {"macs", useful_macs(graph, op)}});
  }
  return {{"name", graph.name},
          {"macs", total_macs(graph)},
          {"constant_bytes", constant_bytes(graph)},
          {"inputs", tensors_json(graph, sample_inputs(graph))},
          {"outputs", tensors_json(graph, sample_outputs(graph))},
          {"states", tensors_json(graph, states_of(graph))},
          {"operators", std::move(operators)}};
}

}  // namespace systole::graph
