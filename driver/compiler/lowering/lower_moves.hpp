// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements as layers of the device. Whose rules would apply does not matter where nothing is
// computed.
#pragma once

#include <variant>
#include <vector>

#include "layer.hpp"
#include "lower_operator.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// A layer for each of the operator's results. only_moves() holds.
std::variant<std::vector<Layer>, OnHost> lower_moves(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
