// SPDX-License-Identifier: Apache-2.0
// Sums, differences and products of two tensors, by either arithmetic's rules.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The operator by itself: of two computed tensors of one shape, or with a second operand that is constant or one pixel
/// for all of them. Throws Refused, or std::invalid_argument for a scale that no multiplier stands for.
std::vector<Layer> lower_binary(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
