// SPDX-License-Identifier: Apache-2.0
// Execution of one operator. A kind has run(), or four functions by element type: run_quantized() on int8 and uint8 in
// TensorFlow Lite's arithmetic, run_int16() on int16 with a scale, run_plain() on unquantized elements, and run_onnx()
// on int8 and uint8 by ONNX's rules: weighted operators by integer sums; the others on plain integers, or as real
// numbers between dequantization and quantization, as ONNX defines them.
#pragma once

#include <string_view>
#include <vector>

#include "kind_functions.hpp"
#include "systole/execute.hpp"

namespace systole::graph {

/// An operator with its operands.
struct Call {
  const Graph& graph;
  const Operator& op;
  const std::vector<const Value*>& inputs;

  const Value& input(std::size_t i) const { return *inputs.at(i); }
  bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  const Tensor& input_tensor(std::size_t i) const { return graph.tensor(op.inputs.at(i)); }
  const Tensor& output_tensor(std::size_t i = 0) const { return graph.tensor(op.outputs.at(i)); }

  /// Throws GraphError: "operator ... on int8 in TensorFlow Lite's arithmetic is not supported: `why`".
  [[noreturn]] void unsupported(std::string_view why) const;
};

/// Converts `value` of tensor `from` to tensor `to`, according to their types and quantizations.
Value convert(const Call& call, const Value& value, const Tensor& from, const Tensor& to);

}  // namespace systole::graph
