// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systole/graph.hpp"

namespace systole::graph {

/// What validate() demands of one operator, apart from its place in the graph: number of inputs and outputs, types, and
/// shapes that follow from those of the inputs. Ids are in range. Throws GraphError.
void check_operator(const Graph& graph, const Operator& op);

}  // namespace systole::graph
