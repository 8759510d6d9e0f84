// SPDX-License-Identifier: Apache-2.0
// Lowers operators that only move elements. They compute nothing, so the arithmetic rules do not matter.
#pragma once

#include <variant>
#include <vector>

#include "layer.hpp"
#include "refused.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// One layer for each result of the operator. Requires only_moves().
std::variant<std::vector<Layer>, OnHost> lower_moves(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
