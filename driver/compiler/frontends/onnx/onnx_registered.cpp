// SPDX-License-Identifier: Apache-2.0
// Operators of the user's own (ImportOptions::operators): what their functions record takes their place.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "onnx_operators.hpp"
#include "onnx_translation.hpp"
#include "systole/array.hpp"

namespace systole::graph::onnx_file {

const OperatorFunction* Translation::registered() const {
  const auto found = options_.operators.find(full_type());
  return found == options_.operators.end() ? nullptr : &found->second;
}

namespace {

/// Appends the operators of a graph, whose inputs are those of the node. Its results.
std::vector<TensorId> appended(Translation& t, const Graph& graph, const std::vector<TensorId>& inputs) {
  std::map<TensorId, TensorId> ids{{kNoTensor, kNoTensor}};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    ids[graph.inputs[i]] = inputs[i];
  }
  const auto id_of = [&](TensorId id) {
    if (ids.count(id) == 0) {  // a constant
      const Tensor& tensor = graph.tensor(id);
      t.spend(tensor.constant->size());
      ids[id] = t.add_computed({"", tensor.type, tensor.shape, {}, tensor.constant});
    }
    return ids[id];
  };
  const auto mapped = [&](const std::vector<TensorId>& given) {
    std::vector<TensorId> result;
    std::transform(given.begin(), given.end(), std::back_inserter(result), id_of);
    return result;
  };
  for (const Operator& op : graph.operators) {
    const std::vector<TensorId> operands = mapped(op.inputs);
    std::vector<Tensor> results;
    for (const TensorId id : op.outputs) {
      results.push_back({"", graph.tensor(id).type, graph.tensor(id).shape, {}, nullptr});
    }
    const std::vector<TensorId> made = t.emit_all(op.kind, operands, results);
    for (std::size_t i = 0; i < made.size(); ++i) {
      ids[op.outputs[i]] = made[i];
    }
  }
  return mapped(graph.outputs);
}

}  // namespace

void registered_operator(Translation& t) {
  std::vector<TensorId> inputs;
  std::vector<ArrayType> types;
  for (std::size_t i = 0; i < t.input_count(); ++i) {
    inputs.push_back(t.plain(t.input(i)));
    types.push_back({t.tensor(inputs.back()).type, t.shape(inputs.back())});
  }
  const Attributes attributes = t.attributes();
  const Graph graph = record(t.full_type(), types,
                             [&](const std::vector<Array>& arrays) { return (*t.registered())(arrays, attributes); });
  if (graph.outputs.size() < t.output_count()) {
    t.fail(fmt::format("has {} results, its function {}", t.output_count(), graph.outputs.size()));
  }
  const std::vector<TensorId> results = appended(t, graph, inputs);
  for (std::size_t i = 0; i < t.output_count(); ++i) {
    t.result(results[i], i);
  }
}

}  // namespace systole::graph::onnx_file
