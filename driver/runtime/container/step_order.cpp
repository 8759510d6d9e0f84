// SPDX-License-Identifier: Apache-2.0
#include "attributes.hpp"
#include "reader.hpp"

namespace systole::container {
namespace {

class Order {
 public:
  explicit Order(const CompiledNetwork& network) : network_(network), available_(network.graph.tensors.size()) {}

  void run() {
    const graph::Graph& graph = network_.graph;
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      available_[i] = graph.tensors[i].constant != nullptr;
    }
    for (const graph::TensorId id : graph.inputs) {
      make(id);
    }
    for (std::size_t i = 0; i < network_.steps.size(); ++i) {
      std::visit([&](const auto& step) { add(step, i); }, network_.steps[i]);
    }
    for (const graph::TensorId id : graph.outputs) {
      use(id, "the outputs of the graph");
    }
  }

 private:
  void make(graph::TensorId id) { available_.at(static_cast<std::size_t>(id)) = true; }
  void use(graph::TensorId id, const std::string& where) const {
    if (!available_.at(static_cast<std::size_t>(id))) {
      throw ContainerError(fmt::format("{}: {} is used before a step produces it: compile again with systole compile",
                                       where, graph::title(network_.graph.tensor(id))));
    }
  }

  void add(const DeviceStep& step, std::size_t number) {
    for (const auto& [id, buffer] : step.inputs) {
      use(id, fmt::format("step {}", number));
    }
    for (const auto& [id, buffer] : step.outputs) {
      make(id);
    }
  }
  void add(const HostStep& step, std::size_t number) {
    const auto& operators = network_.graph.operators;
    if (step.op < 0 || static_cast<std::size_t>(step.op) >= operators.size()) {
      throw ContainerError(fmt::format("step {}: operator {} of {} does not exist; compile again with systole compile",
                                       number, step.op, operators.size()));
    }
    const graph::Operator& op = operators[static_cast<std::size_t>(step.op)];
    for (const graph::TensorId id : op.inputs) {
      if (id != graph::kNoTensor) {
        use(id, fmt::format("step {}", number));
      }
    }
    for (const graph::TensorId id : op.outputs) {
      make(id);
    }
  }

  const CompiledNetwork& network_;
  std::vector<bool> available_;
};

}  // namespace

void check_order(const CompiledNetwork& network) { Order(network).run(); }

}  // namespace systole::container
