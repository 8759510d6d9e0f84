// SPDX-License-Identifier: Apache-2.0
// Partitions a graph into segments that run on the device and operators that run on the host between them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "indexed_graph.hpp"
#include "segment.hpp"
#include "systole/compiled_network.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

using Step = std::variant<Segment, HostStep>;

/// Assigns every operator to one step, with as few segments as possible: everything the device can run is taken before
/// the host's turn, and vice versa. Operators that need a part which the configuration lacks run on the host, and so do
/// those in `refused`, for the reason given there; those
/// in `plain` are lowered in the plain way. `graph` is valid.
std::vector<Step> make_steps(const graph::IndexedGraph& graph, const Configuration& configuration,
                             const std::map<int, std::string>& refused, const std::set<int>& plain,
                             Transformations& transformations);

}  // namespace systole::network
