// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a softmax with a result of int16, of int16 or int8. Throws Refused.
std::vector<Layer> lower_softmax16(const graph::Graph& graph, const graph::Operator& op, const graph::Softmax& softmax);

}  // namespace systole::network
