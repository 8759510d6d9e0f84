// SPDX-License-Identifier: Apache-2.0
// Sums, differences and products of two tensors, in TensorFlow Lite's or ONNX's arithmetic.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers one operator; operands may be constant, and are broadcast. Throws Refused, or InvalidArgument for a scale
/// that no multiplier can represent.
std::vector<Layer> lower_binary(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
