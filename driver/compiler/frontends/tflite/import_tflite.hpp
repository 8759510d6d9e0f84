// SPDX-License-Identifier: Apache-2.0
// Imports TensorFlow Lite files. Types, shapes, scales and the rules of TensorFlow Lite's reference kernels
// (Arithmetic::kTfLite) are kept. Depthwise weights are converted to OHWI, and a dense layer whose input is not a list
// of rows gets a Reshape before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/import_model.hpp"

namespace systole::graph {

/// Whether the bytes have the file identifier.
bool is_tflite(const Bytes& bytes);

/// Reads the first subgraph of a file. Throws GraphError if the file is truncated or malformed as a whole or has cyclic
/// dependencies. Memory use is proportional to the file size.
ModelContents read_tflite(const Bytes& bytes, const std::string& name);

/// The same as a valid graph. Throws GraphError, naming operator or tensor, the value, what is legal and what to do,
/// also for unknown dimensions and unsupported operators, types or options.
Graph import_tflite(const Bytes& bytes, const std::string& name);

}  // namespace systole::graph
