// SPDX-License-Identifier: Apache-2.0
// Products of two computed matrices of int16, in TensorFlow Lite's arithmetic.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers a product of int16: the matrix unit multiplies the bytes of the elements, each of one operand with each of
/// the other, and a kernel combines the sums. Throws Refused.
std::vector<Layer> lower_product16(const graph::Graph& graph, const graph::Operator& op, const graph::MatMul& product);

}  // namespace systole::network
