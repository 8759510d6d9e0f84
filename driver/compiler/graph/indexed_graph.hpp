// SPDX-License-Identifier: Apache-2.0
// A graph, and which operators make and read each of its tensors, in constant time.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

class IndexedGraph {
 public:
  /// `graph` outlives this. What is below is of the graph as it was here, or at the last update(); a tensor that was
  /// added since has neither maker nor readers.
  explicit IndexedGraph(const Graph& graph) : graph_(graph) { update(); }
  void update();

  const Graph& graph() const { return graph_; }
  operator const Graph&() const { return graph_; }  ///< so that it is given where a graph is
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const Operator& op(std::size_t i) const { return graph_.operators.at(i); }

  /// The place of the operator that computes the tensor; none for inputs of the graph and constants.
  std::optional<std::size_t> place_of_maker(TensorId id) const { return uses_of(id).maker; }
  /// The operator itself, or null.
  const Operator* maker(TensorId id) const;
  /// The same if the operator is of this kind, else null.
  template <class Kind>
  const Operator* maker_of_kind(TensorId id) const {
    const Operator* made = maker(id);
    return made != nullptr && std::holds_alternative<Kind>(made->kind) ? made : nullptr;
  }

  /// The places of the operators that read the tensor, in order, once per use.
  const std::vector<std::size_t>& readers(TensorId id) const { return uses_of(id).readers; }
  bool is_output(TensorId id) const { return uses_of(id).outputs != 0; }
  /// How often operators read the tensor, and the graph itself has it as an output.
  std::size_t uses(TensorId id) const { return readers(id).size() + uses_of(id).outputs; }
  /// Whether the tensor has exactly one use and is no output of the graph.
  bool has_one_reader(TensorId id) const { return !is_output(id) && readers(id).size() == 1; }

 private:
  struct Uses {
    std::optional<std::size_t> maker;
    std::vector<std::size_t> readers;
    std::size_t outputs = 0;
  };
  const Uses& uses_of(TensorId id) const;

  const Graph& graph_;
  std::vector<Uses> uses_;  ///< by tensor
};

}  // namespace systole::graph
