// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of several tensors, by kernels of the vector processor: maxima and minima, comparisons,
// selection, PRELU, and differences.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a Binary or Select operator, whose operands may be constant and broadcast along any axes. Throws Refused, or
/// InvalidArgument for a scale that no multiplier can represent.
std::vector<Layer> lower_elementwise(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
