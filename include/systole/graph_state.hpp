// SPDX-License-Identifier: Apache-2.0
// The states of a graph (Graph::states) between runs of graph::execute().
#pragma once

#include <vector>

#include "systole/graph_value.hpp"

namespace systole::graph {

class GraphState {
 public:
  /// Begins with the graph's own values. The graph is valid.
  explicit GraphState(const Graph& graph);

  /// Begins anew.
  void reset() { now_ = first_; }

  /// All inputs of a run: those of the sample, then the states.
  std::vector<Value> with_states(std::vector<Value> inputs) const;
  /// Takes the states from all outputs of a run. Returns the others, the outputs of the sample.
  std::vector<Value> without_states(std::vector<Value> outputs);

 private:
  std::vector<Value> first_, now_;
};

}  // namespace systole::graph
