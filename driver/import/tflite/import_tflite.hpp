// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files as graphs. What the file says is kept as it is: types, shapes, scales, and the rules of TensorFlow Lite's
// reference kernels (Arithmetic::kTfLite). Depthwise weights are brought to OHWI, and a dense layer whose input is no list of rows
// gets a Reshape before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph {

/// Whether the bytes begin as such a file does.
bool is_tflite(const Bytes& bytes);

/// The first subgraph of a file, valid. Throws GraphError, naming operator or tensor, the value, what is legal and what to do, for
/// a file that is truncated or malformed, that has dimensions which are not known, or that has operators, types or options
/// which are not supported. What it allocates is in proportion to the file.
Graph import_tflite(const Bytes& bytes, const std::string& name);

}  // namespace systole::graph
