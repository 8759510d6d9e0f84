// SPDX-License-Identifier: Apache-2.0
// A graph as JSON, and its totals.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "systole/graph.hpp"

namespace systole::graph {

/// {"name", "macs", "constant_bytes", "inputs": [tensor], "outputs": [tensor], "operators": [{"name", "origin", "kind",
/// "attributes", "arithmetic", "inputs": [tensor or null], "outputs": [tensor], "macs"}]}, a tensor being {"name",
/// "type", "shape", "constant", "scale", "zero_point", "axis"}; the last three are present if it is quantized. The
/// graph is valid.
nlohmann::ordered_json to_json(const Graph& graph);

/// Total over all operators.
std::uint64_t total_macs(const Graph& graph);
/// Total over all constants; constants that share their bytes count once.
std::uint64_t constant_bytes(const Graph& graph);

}  // namespace systole::graph
