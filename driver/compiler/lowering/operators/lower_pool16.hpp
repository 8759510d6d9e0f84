// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a pool of int16, for which the device has no instruction: moves bring the elements of each window together,
/// and a kernel combines them. Throws Refused.
std::vector<Layer> lower_pool16(const graph::Graph& graph, const graph::Operator& op, const graph::Pool& pool);

}  // namespace systole::network
