// SPDX-License-Identifier: Apache-2.0
// DequantizeLinear, an operator, QuantizeLinear: the way in which ONNX writes most quantized operators.
#pragma once

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// Replaces each such chain by the operator on quantized tensors. A bias of real numbers becomes int32, in steps of
/// input scale times weight scale, which rounds it. What is left without a user stays in the graph.
void fuse_quantized(Graph& graph);

}  // namespace systole::graph::onnx_file
