// SPDX-License-Identifier: Apache-2.0
// Imports ONNX files. Images become NHWC: each spatial operator gets a transposition before and after it, and those
// that cancel are removed (graph/simplify). Constant expressions are folded. Integer operators keep ONNX's rules
// (Arithmetic::kOnnx): QLinearConv and similar operators directly, and the pattern DequantizeLinear, operator,
// QuantizeLinear as the quantized operator.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "systole/execute.hpp"
#include "systole/graph.hpp"
#include "systole/import_model.hpp"

namespace systole::graph {

struct OnnxOptions {
  /// Size of a first dimension that the file leaves open; without it such a file is refused.
  std::optional<std::int64_t> batch;
  /// ImportOptions::dimensions, constants and constant_bytes.
  std::map<std::string, std::int64_t> dimensions;
  std::map<std::string, GivenConstant> constants;
  std::int64_t constant_bytes = ImportOptions{}.constant_bytes;
  std::vector<std::string> without;                        ///< ImportOptions::without
  PassLog* log = nullptr;                                  ///< ImportOptions::log
  std::map<std::string, OperatorFunction> operators = {};  ///< ImportOptions::operators
  bool training = false;                                   ///< ImportOptions::training
  /// Values of inputs, by name. If an operator needs the value of an input at import time (a scale, a shape,
  /// convolution weights), or such a value is computed from it, the input becomes a constant; the other values are
  /// ignored.
  std::map<std::string, Value> values;
};

/// Whether the bytes begin like an ONNX file; the format has no signature.
bool looks_like_onnx(const Bytes& bytes);

/// Reads a file. Throws GraphError if it is truncated or malformed as a whole, has cyclic dependencies, or lacks an
/// open dimension named in the options. Memory use is proportional to the file size, plus ImportOptions::constant_bytes
/// for folded constants.
ModelContents read_onnx(Bytes bytes, const std::string& name, const OnnxOptions& options = {});

/// Imports a model file as a valid graph. Throws OnnxNotSupported (a GraphError) for anything unsupported, and
/// GraphError for a truncated or malformed file; both name node, tensor, value, what is legal and what to do.
Graph import_onnx(Bytes bytes, const std::string& name, const OnnxOptions& options = {});

}  // namespace systole::graph
