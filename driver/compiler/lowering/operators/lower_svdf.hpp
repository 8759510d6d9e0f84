// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers an SVDF of int8: the array computes the features, and a kernel combines them with the constant state. Throws
/// Refused.
std::vector<Layer> lower_svdf(const graph::Graph& graph, const graph::Operator& op, const graph::Svdf& svdf);

}  // namespace systole::network
