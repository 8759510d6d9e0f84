// SPDX-License-Identifier: Apache-2.0
#include "graph/listing.hpp"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "graph/attributes.hpp"
#include "table.hpp"

namespace systole::graph {
namespace {

using cli::grouped;

std::string interface_text(const Graph& graph, const char* what, const std::vector<TensorId>& ids) {
  std::string text;
  for (const TensorId id : ids) {
    const Tensor& tensor = graph.tensor(id);
    const std::string quantization = quantization_text(tensor);
    text += fmt::format("{:<7} {}  {} {}{}{}\n", what, tensor.name, to_string(tensor.shape), name_of(tensor.type),
                        quantization.empty() ? "" : ", ", quantization);
  }
  return text;
}

nlohmann::ordered_json tensor_json(const Tensor& tensor) {
  nlohmann::ordered_json json = {
      {"name", tensor.name}, {"type", name_of(tensor.type)}, {"shape", tensor.shape}, {"constant", tensor.constant != nullptr}};
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

std::string listing(const Graph& graph, const cli::Style& style) {
  using Align = cli::Table::Align;
  cli::Table table({{"#"}, {"operator", Align::kLeft}, {"parameters", Align::kLeft}, {"output", Align::kLeft}, {"type", Align::kLeft},
                    {"quantization", Align::kLeft}, {"MACs"}});
  for (std::size_t i = 0; i < graph.operators.size(); ++i) {
    const Operator& op = graph.operators[i];
    const Tensor& output = graph.tensor(op.outputs[0]);
    std::string shape = to_string(output.shape);
    if (op.outputs.size() > 1) {
      shape += fmt::format(" and {} more", op.outputs.size() - 1);
    }
    table.add({fmt::format("{}", i), op.origin.empty() ? name_of(op.kind) : op.origin, attributes(op.kind), shape, name_of(output.type),
               quantization_text(output), grouped(useful_macs(graph, op))});
  }
  return fmt::format("{}  {} operator{}, {} multiply-accumulates, {} bytes of constants\n\n{}{}\n{}", style(cli::Paint::kBold, graph.name),
                     graph.operators.size(), graph.operators.size() == 1 ? "" : "s", grouped(total_macs(graph)), grouped(constant_bytes(graph)),
                     interface_text(graph, "input", graph.inputs), interface_text(graph, "output", graph.outputs), table.text(style));
}

nlohmann::ordered_json to_json(const Graph& graph) {
  auto operators = nlohmann::ordered_json::array();
  for (const Operator& op : graph.operators) {
    operators.push_back({{"name", op.name},
                         {"origin", op.origin},
                         {"kind", name_of(op.kind)},
                         {"attributes", attributes(op.kind)},
                         {"arithmetic", op.arithmetic == Arithmetic::kTfLite ? "tflite" : "onnx"},
                         {"inputs", tensors_json(graph, op.inputs)},
                         {"outputs", tensors_json(graph, op.outputs)},
                         {"macs", useful_macs(graph, op)}});
  }
  return {{"name", graph.name},
          {"macs", total_macs(graph)},
          {"constant_bytes", constant_bytes(graph)},
          {"inputs", tensors_json(graph, graph.inputs)},
          {"outputs", tensors_json(graph, graph.outputs)},
          {"operators", std::move(operators)}};
}

}  // namespace systole::graph
