// SPDX-License-Identifier: Apache-2.0
// Convolutions and fully connected layers of int16 activations with int8 weights, in TensorFlow Lite's arithmetic.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a Conv2d or Dense with int16 activations: the matrix unit multiplies their two bytes, as two int8 tensors,
/// and a kernel combines the sums. Throws Refused.
std::vector<Layer> lower_weighted16(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
