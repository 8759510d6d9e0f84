// SPDX-License-Identifier: Apache-2.0
// Lowers operators of a graph to layers of the device, or gives the reason why the host has to run one.
#pragma once

#include <variant>
#include <vector>

#include "indexed_graph.hpp"
#include "layer.hpp"
#include "refused.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Lowers one operator: one layer for each of its results. `graph` is valid. With `plain`, moves bring windows of
/// float32 together, which every configuration has room for.
std::variant<std::vector<Layer>, OnHost> lower(const graph::IndexedGraph& graph, const graph::Operator& op, bool plain,
                                               Transformations& transformations);

}  // namespace systole::network
