// SPDX-License-Identifier: Apache-2.0
// Operators on elements without a scale - float32, integers, bool - in ONNX's arithmetic, as kernels: a sequence of
// them where an operator is made of several steps. Floats follow the rules of sim/golden/binary32.hpp, as on the host.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether the operator is one of those: of the kinds Unary, Binary, Select, Convert, Reduce, Softmax, Pool, or
/// a product of float32, without quantization, and not of bytes that other kernels and tables compute.
bool is_unquantized(const graph::Graph& graph, const graph::Operator& op);

/// Requires is_unquantized(); `plain` as for lower(). Throws Refused.
std::vector<Layer> lower_unquantized(const graph::Graph& graph, const graph::Operator& op, bool plain);

}  // namespace systole::network
