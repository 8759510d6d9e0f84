// SPDX-License-Identifier: Apache-2.0
#include "lower_lstm.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "functions16.hpp"
#include "recurrent.hpp"
#include "refused.hpp"
#include "requantize_wide.hpp"
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

std::int64_t sum_of_sizes(const std::vector<std::int8_t>& weights, std::size_t first, std::size_t count) {
  std::int64_t sum = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    sum += std::abs(int{weights[i]});
  }
  return sum;
}

std::int8_t high_byte(std::int16_t value) { return static_cast<std::int8_t>(value >> 8); }
std::int8_t low_byte(std::int16_t value) { return static_cast<std::int8_t>((value & 0xFF) + kLowZeroPoint); }

/// What makes the call one of int16. Its products are those of bytes; their sums are of 64 bits, and rescaled with
/// multipliers of 15.
class WideLstm {
 public:
  WideLstm(const graph::Graph& graph, const graph::Operator& op, compiler::LstmCall& call)
      : graph_(graph), op_(op), call_(call) {}

  void run() {
    require_type(graph_.tensor(op_.outputs[0]), {ElementType::kInt16}, "inputs and results of one width");
    require(call_.input_zero_point == 0 && call_.hidden_zero_point == 0, "int16 with a zero point");
    compiler::LstmLowBytes low;
    low.split = {byte_call(ByteOf16::kHigh), byte_call(ByteOf16::kLow)};
    for (const std::int16_t value : constant<std::int16_t>(tensor(Lstm::kHidden), ElementType::kInt16, "int16")) {
      call_.hidden.push_back(high_byte(value));
      low.hidden.push_back(low_byte(value));
    }
    std::vector<ScaledChannel> inputs;
    for (std::size_t i = 0; i < call_.gates.size(); ++i) {
      compiler::LstmGateCall& gate = call_.gates[i];
      inputs.push_back({gate.input_scale, split_bias(gate, tensor(Lstm::kBias + i), low.bias[i])});
      low.hidden_multipliers[i] = hidden_multiplier(gate);
      gate.input_scale = gate.hidden_scale = {1 << 30, 0};
    }
    KernelLayer requantize = requantize_wide(inputs, {});
    low.requantize = std::move(requantize.call);
    for (const auto& [operand, words] : requantize.constants) {
      low.requantize_words.emplace_back();
      std::memcpy(low.requantize_words.back().data(), words.bytes.data(), sizeof low.requantize_words.back());
    }
    call_.low_bytes = std::move(low);
  }

 private:
  const Tensor& tensor(std::size_t i) const { return graph_.tensor(op_.inputs.at(i)); }

  /// Sets the high and low bytes. Returns the greatest size of a sum with the inputs.
  std::int64_t split_bias(compiler::LstmGateCall& gate, const Tensor& tensor, std::vector<std::int32_t>& low) const {
    constexpr std::int64_t kMostWeights = std::int64_t{1} << 22;  // in sum: those times a byte have 31 bits
    constexpr std::int64_t kMostBias = std::int64_t{1} << 38;
    const bool narrow = tensor.type == ElementType::kInt32;
    const std::vector<std::int64_t> bias =
        narrow ? std::vector<std::int64_t>() : constant<std::int64_t>(tensor, ElementType::kInt64, "int32 or int64");
    const std::vector<std::int32_t> words =
        narrow ? constant<std::int32_t>(tensor, ElementType::kInt32, "") : std::vector<std::int32_t>();
    const auto inputs = static_cast<std::size_t>(call_.inputs);
    std::int64_t most = 0;
    for (std::size_t unit = 0; unit < static_cast<std::size_t>(call_.units); ++unit) {
      const std::int64_t value = narrow ? words[unit] : bias[unit];
      const std::int64_t sizes = sum_of_sizes(gate.input_weights, unit * inputs, inputs);
      require(sizes <= kMostWeights && std::abs(value) <= kMostBias,
              "weights of a unit whose sizes add up to more than 2^22, or a bias of more than 2^38");
      gate.bias.push_back(static_cast<std::int32_t>(value >> 8));
      low.push_back(static_cast<std::int32_t>(value & 0xFF));
      most = std::max(most, 32768 * sizes + std::abs(value));
    }
    return most;
  }

  /// The multiplier of 15 bits and the shift to the right as one of 31 bits, for sums of 32.
  std::int32_t hidden_multiplier(const compiler::LstmGateCall& gate) const {
    constexpr std::int64_t kMostSizes = 65535;
    const auto units = static_cast<std::size_t>(call_.units);
    for (std::size_t unit = 0; unit < units; ++unit) {
      require(sum_of_sizes(gate.hidden_weights, unit * units, units) <= kMostSizes,
              "weights of a unit and the hidden state whose sizes add up to more than 65535");
    }
    require(gate.hidden_scale.shift >= -16, "weights of a hidden state of int16 with a scale below 2^-29 per step");
    return short_multiplier(gate.hidden_scale) << (16 + gate.hidden_scale.shift);
  }

  const graph::Graph& graph_;
  const graph::Operator& op_;
  compiler::LstmCall& call_;
};

}  // namespace

compiler::LstmCall lstm_call(const graph::Graph& graph, const graph::Operator& op, const graph::Lstm& lstm) {
  const auto tensor = [&](std::size_t i) -> const Tensor& { return graph.tensor(op.inputs.at(i)); };
  const auto scale = [&](std::size_t i) { return tensor(i).quantization->scale.at(0); };
  const auto zero_point = [&](std::size_t i) { return tensor(i).quantization->zero_point.at(0); };
  require_type(tensor(0), {ElementType::kInt8, ElementType::kInt16}, "int8 or int16");
  const bool wide = tensor(0).type == ElementType::kInt16;
  compiler::LstmCall call;
  call.time_major = lstm.time_major;
  const graph::Shape& shape = tensor(0).shape;
  call.steps = static_cast<int>(shape[lstm.time_major ? 0 : 1]);
  call.batches = static_cast<int>(shape[lstm.time_major ? 1 : 0]);
  call.inputs = static_cast<int>(shape[2]);
  call.units = static_cast<int>(tensor(Lstm::kHidden).shape[1]);
  call.cell = constant<std::int16_t>(tensor(Lstm::kCell), ElementType::kInt16, "int16");
  for (std::size_t i = 0; i < call.gates.size(); ++i) {
    compiler::LstmGateCall& gate = call.gates[i];
    gate.input_weights = constant<std::int8_t>(tensor(Lstm::kInputWeights + i), ElementType::kInt8, "int8");
    gate.hidden_weights = constant<std::int8_t>(tensor(Lstm::kHiddenWeights + i), ElementType::kInt8, "int8");
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
  if (wide) {
    WideLstm(graph, op, call).run();
    return call;
  }
  call.hidden = constant<std::int8_t>(tensor(Lstm::kHidden), ElementType::kInt8, "int8");
  for (std::size_t i = 0; i < call.gates.size(); ++i) {
    call.gates[i].bias = constant<std::int32_t>(tensor(Lstm::kBias + i), ElementType::kInt32, "int32");
  }
  return call;
}

}  // namespace systole::network
