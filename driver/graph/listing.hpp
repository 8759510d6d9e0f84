// SPDX-License-Identifier: Apache-2.0
// A graph as text for people and as JSON for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "systole/graph.hpp"
#include "terminal.hpp"

namespace systole::graph {

/// Inputs and outputs, then a line per operator: number, what it is in the file, its parameters, shape, type, quantization of
/// its (first) result and multiply-accumulates; then their sum and the bytes of constants. The graph is valid.
std::string listing(const Graph& graph, const cli::Style& style = {});

/// {"name", "macs", "constant_bytes", "inputs": [tensor], "outputs": [tensor], "operators": [{"name", "origin", "kind",
/// "attributes", "arithmetic", "inputs": [tensor or null], "outputs": [tensor], "macs"}]}, a tensor being {"name", "type", "shape",
/// "constant", "scale", "zero_point", "axis"}; the last three are there where it has a quantization. The graph is valid.
nlohmann::ordered_json to_json(const Graph& graph);

/// Of all operators.
std::uint64_t total_macs(const Graph& graph);
/// Of all constants; those that share their bytes count once.
std::uint64_t constant_bytes(const Graph& graph);

}  // namespace systole::graph
