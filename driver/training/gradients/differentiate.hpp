// SPDX-License-Identifier: Apache-2.0
// Reverse-mode differentiation.
#pragma once

#include <vector>

#include "systole/graph.hpp"

namespace systole::training {

/// Appends to the graph the gradients of a scalar with respect to tensors of the graph, and returns their ids, in the
/// order of `of`; a tensor that the scalar does not depend on has a gradient of zeros. Contributions of several uses
/// are added from the last use to the first. At a corner of a function the gradient is one of the two sides': 0 for
/// ReLU at 0. Throws GraphError, naming the operator, if one on the way has no rule (rules.hpp) or is not real.
std::vector<graph::TensorId> differentiate(graph::Graph& graph, graph::TensorId scalar,
                                           const std::vector<graph::TensorId>& of);

}  // namespace systole::training
