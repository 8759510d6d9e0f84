// SPDX-License-Identifier: Apache-2.0
// Lowers ONNX's quantized operators: uint8 as int8 that is 128 less, sums rounded once with ties to even, weights with
// zero points, unscaled sums, products of two computed matrices.
#pragma once

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Lowers one operator of Arithmetic::kOnnx. `graph` is valid. Throws Refused, or InvalidArgument for a scale
/// that no multiplier can represent.
Layer lower_onnx(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
