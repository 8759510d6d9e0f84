// SPDX-License-Identifier: Apache-2.0
// The element types and quantizations that operators support.
#pragma once

#include "systole/graph.hpp"

namespace systole::graph {

/// Throws GraphError, naming operator, tensors and the expected types, for types or quantizations that the kind does
/// not support. Ids are in range and the number of inputs and outputs is right.
void check_types(const Graph& graph, const Operator& op);

}  // namespace systole::graph
