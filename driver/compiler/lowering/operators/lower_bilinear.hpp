// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a bilinear resize of int8 or uint8: moves bring the four pixels together between which each of the result
/// lies, and a kernel interpolates. Throws Refused.
std::vector<Layer> lower_bilinear(const graph::Graph& graph, const graph::Operator& op,
                                  const graph::ResizeBilinear& resize);

}  // namespace systole::network
