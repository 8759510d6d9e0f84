// SPDX-License-Identifier: Apache-2.0
// Stateful operators of 8 and 16 bits: the state is reset at every execution.
#include <algorithm>
#include <cmath>

#include "int16.hpp"
#include "quantized_values.hpp"
#include "recurrent.hpp"

namespace systole::graph {
namespace {

bool is_int16(const Value& value) { return value.type == ElementType::kInt16; }

/// int8 or int16 elements minus the tensor's zero point.
std::vector<std::int16_t> centred(const Value& value, const Tensor& tensor) {
  if (is_int16(value)) {
    return elements<std::int16_t>(value);
  }
  const std::vector<std::int8_t> bytes = as_int8(value);
  const std::int32_t zero_point = zero_point_of(tensor);
  std::vector<std::int16_t> result(bytes.size());
  std::transform(bytes.begin(), bytes.end(), result.begin(),
                 [&](std::int8_t byte) { return static_cast<std::int16_t>(byte - zero_point); });
  return result;
}

/// int8 or int16 elements, unchanged.
std::vector<std::int16_t> widened(const Value& value) {
  if (is_int16(value)) {
    return elements<std::int16_t>(value);
  }
  const std::vector<std::int8_t> bytes = elements<std::int8_t>(value);
  return {bytes.begin(), bytes.end()};
}

golden::Clamp16 range_of(const Value& value) {
  return is_int16(value) ? golden::Clamp16{} : golden::Clamp16{-128, 127};
}

golden::WideBias wide_bias(const Value& value) {
  if (value.type == ElementType::kInt64) {
    return elements<std::int64_t>(value);
  }
  const std::vector<std::int32_t> narrow = elements<std::int32_t>(value);
  return {narrow.begin(), narrow.end()};
}

golden::LstmParams params_of(const Call& call, const Lstm& op) {
  const auto scale = [&](std::size_t i) { return scale_of(call.input_tensor(i)); };
  golden::LstmParams params;
  params.inputs = static_cast<std::size_t>(call.input(0).shape[2]);
  params.units = static_cast<std::size_t>(call.input(Lstm::kHidden).shape[1]);
  params.narrow = !is_int16(call.input(0));
  for (std::size_t i = 0; i < params.gates.size(); ++i) {
    golden::LstmGate& gate = params.gates[i];
    gate.input_weights = elements<std::int8_t>(call.input(Lstm::kInputWeights + i));
    gate.hidden_weights = elements<std::int8_t>(call.input(Lstm::kHiddenWeights + i));
    gate.bias = wide_bias(call.input(Lstm::kBias + i));
    gate.input_scale = golden::lstm_gate_scale(scale(0), scale(Lstm::kInputWeights + i));
    gate.hidden_scale = golden::lstm_gate_scale(scale(Lstm::kHidden), scale(Lstm::kHiddenWeights + i));
  }
  const float cell = scale(Lstm::kCell);
  params.cell_exponent = std::ilogb(cell);
  if (op.cell_clip > 0) {
    params.cell_clip = static_cast<std::int16_t>(std::min(double{op.cell_clip} / double{cell}, 32767.0));
  }
  params.hidden_scale = golden::lstm_hidden_scale(scale(Lstm::kHidden));
  params.hidden_zero_point = call.input_tensor(Lstm::kHidden).quantization->zero_point.at(0);
  params.hidden_range = range_of(call.input(Lstm::kHidden));
  return params;
}

}  // namespace

Value run(const Call& call, const Lstm& op) {
  const golden::LstmParams params = params_of(call, op);
  golden::Lstm lstm(params);
  const std::vector<std::int16_t> input = centred(call.input(0), call.input_tensor(0));
  std::vector<std::int16_t> hidden = centred(call.input(Lstm::kHidden), call.input_tensor(Lstm::kHidden));
  std::vector<std::int16_t> cell = elements<std::int16_t>(call.input(Lstm::kCell));
  const Shape& shape = call.input(0).shape;
  const auto steps = static_cast<std::size_t>(shape[op.time_major ? 0 : 1]);
  const auto batches = static_cast<std::size_t>(shape[op.time_major ? 1 : 0]);
  std::vector<std::int16_t> output(steps * batches * params.units);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    const std::span<std::int16_t> own_hidden(hidden.data() + batch * params.units, params.units);
    const std::span<std::int16_t> own_cell(cell.data() + batch * params.units, params.units);
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t row = op.time_major ? step * batches + batch : batch * steps + step;
      lstm.step(std::span(input).subspan(row * params.inputs, params.inputs), own_hidden, own_cell);
      std::transform(own_hidden.begin(), own_hidden.end(),
                     output.begin() + static_cast<std::ptrdiff_t>(row * params.units),
                     [&](std::int16_t value) { return static_cast<std::int16_t>(value + params.hidden_zero_point); });
    }
  }
  if (!params.narrow) {
    return int16_value(output, call.output_tensor());
  }
  return from_int8(std::vector<std::int8_t>(output.begin(), output.end()), call.output_tensor());
}

Value run(const Call& call, const Svdf& op) {
  const auto scale = [&](std::size_t i) { return scale_of(call.input_tensor(i)); };
  golden::SvdfParams params;
  params.inputs = static_cast<std::size_t>(call.input(0).shape[1]);
  params.rank = static_cast<std::size_t>(op.rank);
  params.units = static_cast<std::size_t>(call.input(Svdf::kFeatureWeights).shape[0]) / params.rank;
  params.memory = static_cast<std::size_t>(call.input(Svdf::kTimeWeights).shape[1]);
  params.feature_weights = elements<std::int8_t>(call.input(Svdf::kFeatureWeights));
  params.time_weights = widened(call.input(Svdf::kTimeWeights));
  if (call.has_input(Svdf::kBias)) {
    params.bias = elements<std::int32_t>(call.input(Svdf::kBias));
  }
  // Multiplied and divided in float32, as the kernel does.
  params.feature_scale = quantize_multiplier(double{scale(0) * scale(Svdf::kFeatureWeights) / scale(Svdf::kState)});
  params.output_scale =
      quantize_multiplier(double{scale(Svdf::kState) * scale(Svdf::kTimeWeights) / scale_of(call.output_tensor())});
  params.state_zero_point = call.input_tensor(Svdf::kState).quantization->zero_point.at(0);
  params.state_range = range_of(call.input(Svdf::kState));
  params.output_zero_point = zero_point_of(call.output_tensor());
  const std::vector<std::int16_t> input = centred(call.input(0), call.input_tensor(0));
  std::vector<std::int16_t> state = widened(call.input(Svdf::kState));
  const std::size_t batches = input.size() / params.inputs;
  const std::size_t memory = state.size() / batches;
  std::vector<std::int8_t> output(batches * params.units);
  for (std::size_t batch = 0; batch < batches; ++batch) {
    golden::svdf_step(params, std::span(input).subspan(batch * params.inputs, params.inputs),
                      std::span(state).subspan(batch * memory, memory),
                      std::span(output).subspan(batch * params.units, params.units));
  }
  return from_int8(output, call.output_tensor());
}

}  // namespace systole::graph
