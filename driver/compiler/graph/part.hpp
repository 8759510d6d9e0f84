// SPDX-License-Identifier: Apache-2.0
// Extracts a range of a network's operators as a network of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

struct Part {
  Graph graph;
  std::vector<TensorId> inputs, outputs;  ///< ids in the whole graph of the part's inputs and outputs
};

/// Operators begin .. end - 1 of a valid graph. Inputs are the computed tensors that they read from outside; outputs
/// are their results that later operators read or that are outputs of the whole graph. Throws GraphError for an empty
/// range, or one whose results are unused.
Part part_of(const Graph& whole, std::size_t begin, std::size_t end);

}  // namespace systole::graph
