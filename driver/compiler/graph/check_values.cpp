// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph {

void check_value(std::string_view place, const Tensor& tensor, ElementType type, const Shape& shape,
                 std::size_t bytes) {
  const std::size_t needed = static_cast<std::size_t>(count(tensor.shape)) * element_size(tensor.type);
  if (type == tensor.type && shape == tensor.shape && bytes == needed) {
    return;
  }
  throw InvalidArgument(fmt::format("{} '{}': {} of shape {} in {} bytes given, it is {} of shape {} in {} bytes",
                                    place, tensor.name, name_of(type), to_string(shape), bytes, name_of(tensor.type),
                                    to_string(tensor.shape), needed));
}

void check_input_count(const Graph& graph, std::size_t given) {
  if (given != graph.inputs.size()) {
    // The states come after the inputs of a sample, and not from the caller.
    const std::size_t states = std::min(graph.states.size(), given);
    throw InvalidArgument(fmt::format("{} inputs given; graph '{}' has {}", given - states, graph.name,
                                      graph.inputs.size() - graph.states.size()));
  }
}

void check_inputs(const Graph& graph, const std::vector<Value>& values) {
  check_input_count(graph, values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    check_value("input", graph.tensor(graph.inputs[i]), values[i].type, values[i].shape, values[i].data.size());
  }
}

}  // namespace systole::graph
