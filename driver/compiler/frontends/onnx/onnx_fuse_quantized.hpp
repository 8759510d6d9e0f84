// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear, operator, QuantizeLinear: the pattern (QDQ) in which ONNX expresses most quantized operators.
#pragma once

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// Replaces each such pattern by the operator on quantized tensors, also where operators that only move elements stand
/// between it and its conversions, as around a Conv of one dimension: they then move quantized elements. A float bias
/// becomes int32, rounded to steps of input scale times weight scale. Operators without users stay in the graph.
int fuse_quantized(Graph& graph);

}  // namespace systole::graph::onnx_file
