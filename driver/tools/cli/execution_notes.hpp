// SPDX-License-Identifier: Apache-2.0
// Parts of a network that run on the device, but take much longer than their multiply-accumulates let expect.
#pragma once

#include <string>
#include <vector>

#include "systole/compiled_network.hpp"

namespace systole::cli {

/// A line for each cause, with the number of operators, and how to avoid it. `on_device` has an element for each
/// operator of the graph.
std::vector<std::string> execution_notes(const graph::Graph& graph, const std::vector<bool>& on_device);
std::vector<std::string> execution_notes(const CompiledNetwork& network);

}  // namespace systole::cli
