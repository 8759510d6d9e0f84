// SPDX-License-Identifier: Apache-2.0
// Execution of one operator, by element type.
#pragma once

#include <string_view>
#include <vector>

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

/// Operators that copy elements.
Value run(const Call& call, const Pad& op);
Value run(const Call& call, const Reshape& op);
Value run(const Call& call, const Transpose& op);
Value run(const Call& call, const Concat& op);
std::vector<Value> run(const Call& call, const Split& op);
Value run(const Call& call, const Slice& op);
Value run(const Call& call, const ResizeNearest& op);
Value run(const Call& call, const ResizeBilinear& op);
Value run(const Call& call, const L2Normalize& op);
Value run(const Call& call, const LayerNormalize& op);

/// Operators that select and compare elements of any type.
Value run(const Call& call, const Select& op);
Value run(const Call& call, const ArgExtreme& op);
Value run(const Call& call, const CumulativeSum& op);
Value run(const Call& call, const Gather& op);
Value run(const Call& call, const FlatIndex& op);
Value run(const Call& call, const Scatter& op);
std::vector<Value> run(const Call& call, const TopK& op);
Value run(const Call& call, const MaxIndices& op);
Value run(const Call& call, const Determinant& op);

Value run(const Call& call, const Convert& op);
/// Converts `value` of tensor `from` to tensor `to`, according to their types and quantizations.
Value convert(const Call& call, const Value& value, const Tensor& from, const Tensor& to);

/// Stateful operators of 8 and 16 bits.
Value run(const Call& call, const Lstm& op);
Value run(const Call& call, const Svdf& op);

/// On int8 and uint8, in TensorFlow Lite's arithmetic.
Value run_quantized(const Call& call, const Conv2d& op);
Value run_quantized(const Call& call, const Dense& op);
Value run_quantized(const Call& call, const MatMul& op);
Value run_quantized(const Call& call, const Binary& op);
Value run_quantized(const Call& call, const Unary& op);
Value run_quantized(const Call& call, const Pool& op);
Value run_quantized(const Call& call, const Reduce& op);
Value run_quantized(const Call& call, const Softmax& op);

/// On int16 with a scale.
Value run_int16(const Call& call, const Conv2d& op);
Value run_int16(const Call& call, const Dense& op);
Value run_int16(const Call& call, const MatMul& op);
Value run_int16(const Call& call, const Binary& op);
Value run_int16(const Call& call, const Unary& op);
Value run_int16(const Call& call, const Pool& op);
Value run_int16(const Call& call, const Reduce& op);
Value run_int16(const Call& call, const Softmax& op);

/// On unquantized elements.
Value run_plain(const Call& call, const Conv2d& op);
Value run_plain(const Call& call, const Dense& op);
Value run_plain(const Call& call, const MatMul& op);
Value run_plain(const Call& call, const Binary& op);
Value run_plain(const Call& call, const Unary& op);
Value run_plain(const Call& call, const Pool& op);
Value run_plain(const Call& call, const Reduce& op);
Value run_plain(const Call& call, const Softmax& op);

/// On int8 and uint8 by ONNX's rules: weighted operators by integer sums; the others on plain integers, or as real
/// numbers between dequantization and quantization, as ONNX defines them.
Value run_onnx(const Call& call, const Conv2d& op);
Value run_onnx(const Call& call, const Dense& op);
Value run_onnx(const Call& call, const MatMul& op);
Value run_onnx(const Call& call, const Binary& op);
Value run_onnx(const Call& call, const Unary& op);
Value run_onnx(const Call& call, const Pool& op);
Value run_onnx(const Call& call, const Reduce& op);
Value run_onnx(const Call& call, const Softmax& op);

/// The function applied to a real number.
double apply(const Unary& op, double x);

}  // namespace systole::graph
