// SPDX-License-Identifier: Apache-2.0
#include "systole/graph.hpp"

namespace systole::graph {
namespace {

std::vector<TensorId> without_last(const std::vector<TensorId>& ids, std::size_t count) {
  return {ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

std::vector<TensorId> sample_inputs(const Graph& graph) { return without_last(graph.inputs, graph.states.size()); }
std::vector<TensorId> sample_outputs(const Graph& graph) { return without_last(graph.outputs, graph.states.size()); }
std::vector<TensorId> states_of(const Graph& graph) {
  return {graph.inputs.end() - static_cast<std::ptrdiff_t>(graph.states.size()), graph.inputs.end()};
}

}  // namespace systole::graph
