// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systole/graph.hpp"

namespace systole::graph {

/// Validates one operator without its place in the graph: number of inputs and outputs, types, and whether the output
/// shapes are those inferred from the inputs. Ids are in range. Throws GraphError.
void check_operator(const Graph& graph, const Operator& op);

}  // namespace systole::graph
