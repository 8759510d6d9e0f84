// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <unordered_set>

#include "attributes.hpp"
#include "check_operator.hpp"
#include "infer.hpp"
#include "kind_rules.hpp"
#include "quantized_types.hpp"
#include "systole/graph.hpp"
#include "type_checks.hpp"

namespace systole::graph {
namespace {

class Validation {
 public:
  explicit Validation(const Graph& graph) : graph_(graph), available_(graph.tensors.size()) {}

  void run() {
    const std::unordered_set<TensorId> inputs(graph_.inputs.begin(), graph_.inputs.end());
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      check_tensor(graph_.tensors[i], inputs.count(static_cast<TensorId>(i)) != 0);
    }
    for (std::size_t i = 0; i < graph_.tensors.size(); ++i) {
      available_[i] = graph_.tensors[i].constant != nullptr;
    }
    for (const TensorId id : graph_.inputs) {
      produce(id, "the inputs of the graph");
    }
    std::unordered_set<std::string> names;
    for (const Operator& op : graph_.operators) {
      if (op.name.empty() || !names.insert(op.name).second) {
        throw GraphError(
            fmt::format("{}: the name of an operator must not be empty and must be unique in the graph", title(op)));
      }
      check(op);
    }
    if (graph_.outputs.empty()) {
      throw GraphError("the graph has no outputs");
    }
    for (const TensorId id : graph_.outputs) {
      consume(id, "the outputs of the graph");
    }
    check_states();
  }

 private:
  void check_states() const {
    const std::size_t states = graph_.states.size();
    if (states > graph_.inputs.size() || states >= graph_.outputs.size()) {
      throw GraphError(
          fmt::format("{} states, {} inputs and {} outputs: each state is an input and an output, and there "
                      "is an output beside them",
                      states, graph_.inputs.size(), graph_.outputs.size()));
    }
    for (std::size_t i = 0; i < states; ++i) {
      const Tensor& before = graph_.tensor(graph_.inputs[graph_.inputs.size() - states + i]);
      const Tensor& after = graph_.tensor(graph_.outputs[graph_.outputs.size() - states + i]);
      if (before.type != after.type || before.shape != after.shape || !same_quantization(before, after)) {
        throw GraphError(
            fmt::format("the state {} becomes {} in a run; both need the same shape, type and quantization",
                        title(before), title(after)));
      }
      const std::size_t bytes = static_cast<std::size_t>(count(before.shape)) * element_size(before.type);
      if (graph_.states[i] == nullptr || graph_.states[i]->size() != bytes) {
        throw GraphError(fmt::format("the state {} begins with {} bytes; its shape needs {}", title(before),
                                     graph_.states[i] == nullptr ? 0 : graph_.states[i]->size(), bytes));
      }
    }
  }

  /// An input without elements is part of the interface alone: no operator may take it.
  static void check_tensor(const Tensor& tensor, bool is_input) {
    const std::size_t size = element_size(tensor.type);
    std::int64_t elements = 0;
    try {
      elements = count(tensor.shape);
    } catch (const GraphError& error) {
      throw GraphError(fmt::format("tensor '{}': {}", tensor.name, error.what()));
    }
    if (elements == 0 && !tensor.constant && !is_input) {
      throw GraphError(
          fmt::format("{}: every dimension must be at least 1, except in constants and inputs", title(tensor)));
    }
    if (elements > kMaxTensorBytes / static_cast<std::int64_t>(size)) {
      throw GraphError(
          fmt::format("{}: larger than {} bytes, the most a tensor may have", title(tensor), kMaxTensorBytes));
    }
    if (tensor.constant && tensor.constant->size() != static_cast<std::size_t>(elements) * size) {
      throw GraphError(fmt::format("{}: the constant has {} bytes; its shape needs {}", title(tensor),
                                   tensor.constant->size(), static_cast<std::size_t>(elements) * size));
    }
    check_quantization(tensor);
  }

  std::size_t index(TensorId id, const std::string& where) const {
    if (id < 0 || static_cast<std::size_t>(id) >= graph_.tensors.size()) {
      throw GraphError(fmt::format("{}: tensor id {}; the range is 0 .. {}", where, id,
                                   static_cast<std::int64_t>(graph_.tensors.size()) - 1));
    }
    return static_cast<std::size_t>(id);
  }
  void produce(TensorId id, const std::string& where) {
    const std::size_t at = index(id, where);
    if (available_[at]) {
      throw GraphError(
          fmt::format("{}: {} is produced twice: it is also a constant, an input or the output of another operator",
                      where, title(graph_.tensor(id))));
    }
    available_[at] = true;
  }
  void consume(TensorId id, const std::string& where) const {
    if (!available_[index(id, where)]) {
      throw GraphError(
          fmt::format("{}: {} is used before it is produced: its producer must come earlier in the order of operators",
                      where, title(graph_.tensor(id))));
    }
  }

  void check(const Operator& op) {
    const std::string where = title(op);
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      if (op.inputs[i] == kNoTensor && takes_bias(op.kind) && i == 2) {
        continue;
      }
      consume(op.inputs[i], where);
    }
    for (const TensorId id : op.outputs) {
      produce(id, where);
    }
    check_operator(graph_, op);
  }

  const Graph& graph_;
  std::vector<bool> available_;
};

void check_shapes(const Graph& graph, const Operator& op, const std::string& where) {
  std::vector<Shape> shapes;
  try {
    shapes = output_shapes(graph, op);
  } catch (const GraphError& error) {
    throw GraphError(fmt::format("{}: {}", where, error.what()));
  }
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Tensor& output = graph.tensor(op.outputs[i]);
    if (output.shape != shapes[i]) {
      throw GraphError(
          fmt::format("{}: {}: expected shape {}, from its inputs", where, title(output), to_string(shapes[i])));
    }
  }
}

}  // namespace

void check_operator(const Graph& graph, const Operator& op) {
  const std::string where = title(op);
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    const TensorId id = op.inputs[i];
    if (id == kNoTensor && !(takes_bias(op.kind) && i == 2)) {
      throw GraphError(fmt::format("{}: input {} is missing", where, i));
    }
    if (id != kNoTensor && count(graph.tensor(id).shape) == 0) {
      throw GraphError(fmt::format("{}: {} has no elements; expected at least one", where, title(graph.tensor(id))));
    }
  }
  const Number results = number_of(rules_of(op.kind).results);
  if (op.outputs.size() < results.least || op.outputs.size() > results.most) {
    throw GraphError(fmt::format("{}: {} outputs; expected {}", where, op.outputs.size(),
                                 results.most == 1               ? "one"
                                 : results.most == results.least ? std::to_string(results.most)
                                                                 : "one or more"));
  }
  check_shapes(graph, op, where);
  check_types(graph, op);
}

void validate(const Graph& graph) { Validation(graph).run(); }

}  // namespace systole::graph
