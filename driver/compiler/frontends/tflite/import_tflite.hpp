// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files as graphs. What the file says is kept as it is: types, shapes, scales, and the rules of
// TensorFlow Lite's reference kernels (Arithmetic::kTfLite). Depthwise weights are brought to OHWI, and a dense layer
// whose input is no list of rows gets a Reshape before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/import_model.hpp"

namespace systole::graph {

/// Whether the bytes begin as such a file does.
bool is_tflite(const Bytes& bytes);

/// The first subgraph of a file. Throws GraphError for a file that is truncated or malformed as a whole or has
/// operators that depend on each other in a circle. What it allocates is in proportion to the file.
ModelContents read_tflite(const Bytes& bytes, const std::string& name);

/// The same as a valid graph. Throws GraphError, naming operator or tensor, the value, what is legal and what to do,
/// also for dimensions that are not known, and operators, types or options that are not supported.
Graph import_tflite(const Bytes& bytes, const std::string& name);

}  // namespace systole::graph
