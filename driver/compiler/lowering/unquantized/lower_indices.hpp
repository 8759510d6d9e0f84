// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters by computed indices, which the graph shows to be in range: the device cannot report one that is
// not. Addresses never depend on data, so that all rows are read, and those of the index are chosen.
#pragma once

#include <vector>

#include "indexed_graph.hpp"
#include "layer.hpp"

namespace systole::network {

/// Throws Refused where an index may be out of range, and where choosing takes too long.
std::vector<Layer> lower_gather(const graph::IndexedGraph& graph, const graph::Operator& op);
std::vector<Layer> lower_scatter(const graph::IndexedGraph& graph, const graph::Operator& op);

}  // namespace systole::network
