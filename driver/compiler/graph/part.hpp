// SPDX-License-Identifier: Apache-2.0
// A stretch of a network as a network of its own.
#pragma once

#include <cstddef>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

struct Part {
  Graph graph;
  std::vector<TensorId> inputs, outputs;  ///< ids in the whole graph of what the part's inputs and outputs are
};

/// Operators begin .. end - 1 of a valid graph. Inputs are the computed tensors that they take from outside; outputs
/// what they make that operators behind them take or the whole graph gives out. Throws GraphError for an empty stretch,
/// or one whose results nobody takes.
Part part_of(const Graph& whole, std::size_t begin, std::size_t end);

}  // namespace systole::graph
