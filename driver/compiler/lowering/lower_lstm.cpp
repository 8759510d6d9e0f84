// SPDX-License-Identifier: Apache-2.0
#include "lower_lstm.hpp"

#include <algorithm>
#include <cmath>

#include "functions16.hpp"
#include "recurrent.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Lstm;
using graph::Tensor;

template <class Element>
std::vector<Element> constant(const Tensor& tensor, ElementType type, const char* required) {
  require_type(tensor, {type}, required);
  require(tensor.constant != nullptr, "weights, a bias or an initial state that are not constant");
  return graph::elements<Element>(graph::constant_value(tensor));
}

}  // namespace

compiler::LstmCall lstm_call(const graph::Graph& graph, const graph::Operator& op, const graph::Lstm& lstm) {
  const auto tensor = [&](std::size_t i) -> const Tensor& { return graph.tensor(op.inputs.at(i)); };
  const auto scale = [&](std::size_t i) { return tensor(i).quantization->scale.at(0); };
  const auto zero_point = [&](std::size_t i) { return tensor(i).quantization->zero_point.at(0); };
  require_type(tensor(0), {ElementType::kInt8}, "int8");
  compiler::LstmCall call;
  call.time_major = lstm.time_major;
  const graph::Shape& shape = tensor(0).shape;
  call.steps = static_cast<int>(shape[lstm.time_major ? 0 : 1]);
  call.batches = static_cast<int>(shape[lstm.time_major ? 1 : 0]);
  call.inputs = static_cast<int>(shape[2]);
  call.units = static_cast<int>(tensor(Lstm::kHidden).shape[1]);
  call.hidden = constant<std::int8_t>(tensor(Lstm::kHidden), ElementType::kInt8, "int8");
  call.cell = constant<std::int16_t>(tensor(Lstm::kCell), ElementType::kInt16, "int16");
  for (std::size_t i = 0; i < call.gates.size(); ++i) {
    compiler::LstmGateCall& gate = call.gates[i];
    gate.input_weights = constant<std::int8_t>(tensor(Lstm::kInputWeights + i), ElementType::kInt8, "int8");
    gate.hidden_weights = constant<std::int8_t>(tensor(Lstm::kHiddenWeights + i), ElementType::kInt8, "int8");
    gate.bias = constant<std::int32_t>(tensor(Lstm::kBias + i), ElementType::kInt32, "int32");
    gate.input_scale = golden::lstm_gate_scale(scale(0), scale(Lstm::kInputWeights + i));
    gate.hidden_scale = golden::lstm_gate_scale(scale(Lstm::kHidden), scale(Lstm::kHiddenWeights + i));
    require(gate.hidden_scale.shift <= 0, "weights of the hidden state with a scale of 2^-12 or more per step");
  }
  call.input_zero_point = zero_point(0);
  call.hidden_zero_point = zero_point(Lstm::kHidden);
  const float cell = scale(Lstm::kCell);
  call.cell_exponent = std::ilogb(cell);
  require(call.cell_exponent >= -15 && call.cell_exponent <= 0, "a cell state with a scale below 2^-15 or above 1");
  if (lstm.cell_clip > 0) {
    call.cell_high = static_cast<int>(std::min(double{lstm.cell_clip} / double{cell}, 32767.0));
    call.cell_low = -call.cell_high;
  }
  call.output_scale = golden::lstm_hidden_scale(scale(Lstm::kHidden));
  require(call.output_scale.shift <= 0, "a hidden state with a scale of 2^-30 or less");
  call.table = compiler::gate_lines(golden::sigmoid_points());
  return call;
}

}  // namespace systole::network
