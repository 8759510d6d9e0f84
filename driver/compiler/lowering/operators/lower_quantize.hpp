// SPDX-License-Identifier: Apache-2.0
// Conversions between float32 and quantized elements.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether a Convert is from or to float32, and the other side is quantized.
bool is_quantization(const graph::Graph& graph, const graph::Operator& op);

/// Lowers it. Throws Refused.
std::vector<Layer> lower_quantization(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
