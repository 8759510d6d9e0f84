// SPDX-License-Identifier: Apache-2.0
// ONNX's quantized operators as layers of the device: uint8 as int8 that is 128 less, sums rounded once and ties to
// even, weights with zero points, sums as they are, products of two computed matrices.
#pragma once

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The operator, of Arithmetic::kOnnx, by itself. `graph` is valid. Throws Refused, or std::invalid_argument for a
/// scale that no multiplier stands for.
Layer lower_onnx(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
