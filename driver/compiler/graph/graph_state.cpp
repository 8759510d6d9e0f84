// SPDX-License-Identifier: Apache-2.0
#include "systole/graph_state.hpp"

#include <algorithm>
#include <iterator>

namespace systole::graph {

GraphState::GraphState(const Graph& graph) {
  for (std::size_t i = 0; i < graph.states.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs.at(graph.inputs.size() - graph.states.size() + i));
    first_.push_back({tensor.type, tensor.shape, *graph.states[i]});
  }
  now_ = first_;
}

std::vector<Value> GraphState::with_states(std::vector<Value> inputs) const {
  inputs.insert(inputs.end(), now_.begin(), now_.end());
  return inputs;
}

std::vector<Value> GraphState::without_states(std::vector<Value> outputs) {
  const auto first = outputs.end() - static_cast<std::ptrdiff_t>(now_.size());
  std::move(first, outputs.end(), now_.begin());
  outputs.erase(first, outputs.end());
  return outputs;
}

}  // namespace systole::graph
