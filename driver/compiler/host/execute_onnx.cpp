// SPDX-License-Identifier: Apache-2.0
// int8 and uint8 by ONNX's rules.
#include "quantized_values.hpp"

namespace systole::graph {
namespace {

/// Dequantizes, computes in float32, quantizes.
template <class Kind>
Value through_real(const Call& call, const Kind& kind) {
  Graph graph;
  Operator op = call.op;
  std::vector<Value> values;
  values.reserve(call.inputs.size());
  std::vector<const Value*> operands;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    Tensor real = call.input_tensor(i);
    real.type = ElementType::kFloat32;
    real.quantization.reset();
    values.push_back(convert(call, call.input(i), call.input_tensor(i), real));
    operands.push_back(&values.back());
    op.inputs[i] = static_cast<TensorId>(graph.tensors.size());
    graph.tensors.push_back(std::move(real));
  }
  Tensor result = call.output_tensor();
  result.type = ElementType::kFloat32;
  result.quantization.reset();
  op.outputs = {static_cast<TensorId>(graph.tensors.size())};
  graph.tensors.push_back(result);
  return convert(call, run_plain(Call{graph, op, operands}, kind), result, call.output_tensor());
}

template <class Kind>
Value by_numbers_or_real(const Call& call, const Kind& kind) {
  return call.output_tensor().quantization ? through_real(call, kind) : run_plain(call, kind);
}

}  // namespace

Value run_onnx(const Call& call, const Conv2d& op) { return run_quantized(call, op); }
Value run_onnx(const Call& call, const Dense& op) { return run_quantized(call, op); }
Value run_onnx(const Call& call, const MatMul& op) { return run_quantized(call, op); }
Value run_onnx(const Call& call, const Binary& op) { return by_numbers_or_real(call, op); }
Value run_onnx(const Call& call, const Unary& op) { return by_numbers_or_real(call, op); }
Value run_onnx(const Call& call, const Reduce& op) { return by_numbers_or_real(call, op); }
Value run_onnx(const Call& call, const Softmax& op) { return by_numbers_or_real(call, op); }
Value run_onnx(const Call& call, const Pool& op) {
  return op.kind == PoolKind::kMax ? run_quantized(call, op) : by_numbers_or_real(call, op);
}

}  // namespace systole::graph
