// SPDX-License-Identifier: Apache-2.0
// ONNX files as graphs. Images become NHWC: each spatial operator gets a transposition before and behind it, and those
// that cancel are taken out (graph/simplify). What depends on constants alone is computed. Integer operators keep
// ONNX's rules (Arithmetic::kOnnx): QLinearConv and its kind as they are, and DequantizeLinear, an operator,
// QuantizeLinear as the quantized operator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "systole/execute.hpp"
#include "systole/graph.hpp"
#include "systole/import_model.hpp"

namespace systole::graph {

struct OnnxOptions {
  /// The size of a first dimension that the file leaves open; without it such a file is refused.
  std::optional<std::int64_t> batch;
  /// ImportOptions::dimensions and constant_bytes.
  std::map<std::string, std::int64_t> dimensions;
  std::int64_t constant_bytes = ImportOptions{}.constant_bytes;
  /// Values of inputs, by name. An input whose value an operator has to know (a scale, a shape, weights of a
  /// convolution), or that such a value is computed from, is no input of the graph then, but constant; the other values
  /// are not looked at.
  std::map<std::string, Value> values;
};

/// Whether the bytes begin as such a file usually does; the format has no signature.
bool looks_like_onnx(const Bytes& bytes);

/// What a file says. Throws GraphError for one that is truncated or malformed as a whole, has nodes that depend on each
/// other in a circle, or leaves open no such dimension as the options name. What it allocates is in proportion to the
/// file, and ImportOptions::constant_bytes more for what is computed from constants.
ModelContents read_onnx(const Bytes& bytes, const std::string& name, const OnnxOptions& options = {});

/// The graph of a model file, valid. Throws OnnxNotSupported (a GraphError) for what is not supported, and GraphError
/// for a file that is truncated or malformed; both name node, tensor, value, what is legal and what to do.
Graph import_onnx(const Bytes& bytes, const std::string& name, const OnnxOptions& options = {});

}  // namespace systole::graph
