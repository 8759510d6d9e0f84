// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of integer weights that are left in float32, and why.
#pragma once

#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// A line for each kind of operator and reason, such as "2 int8 convolutions run in float32 because ...". For a graph
/// after fuse_quantized(), without unused operators.
std::vector<std::string> float_products(const Graph& graph);

}  // namespace systole::graph::onnx_file
