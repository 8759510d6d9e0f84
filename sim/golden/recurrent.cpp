// SPDX-License-Identifier: Apache-2.0
#include "recurrent.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

constexpr int kGateExponent = -12;
constexpr int kFractionExponent = -15;  // scale of the results of sigmoid and tanh

std::int32_t scaled(std::int32_t value, const QuantParam& scale) {
  return static_cast<std::int32_t>(multiply_by_quantized_multiplier(value, scale, Rounding::kDouble));
}

void require_size(const char* what, std::size_t size, std::size_t wanted) {
  if (size != wanted) {
    throw InvalidArgument(fmt::format("{} {}; there are {}", size, what, wanted));
  }
}

void check(const QuantParam& scale) {
  if (!is_valid(scale)) {
    throw InvalidArgument(fmt::format("scale out of range: multiplier {}, shift {}", scale.multiplier, scale.shift));
  }
}

}  // namespace

QuantParam lstm_gate_scale(float input, float weights) {
  const float product = input * weights;
  return quantize_multiplier(double{product} / std::ldexp(1.0, kGateExponent));
}

QuantParam lstm_hidden_scale(float hidden) {
  return quantize_multiplier(std::ldexp(1.0, 2 * kFractionExponent) / double{hidden});
}

Lstm::Lstm(LstmParams params)
    : params_(std::move(params)),
      gate_points_(tanh_scale_of_power(kGateExponent)),
      cell_points_(tanh_scale_of_power(params_.cell_exponent)),
      keep_(quantize_multiplier(std::ldexp(1.0, kFractionExponent))),
      enter_(quantize_multiplier(std::ldexp(1.0, 2 * kFractionExponent - params_.cell_exponent))),
      opened_(params_.units) {
  for (const LstmGate& gate : params_.gates) {
    require_size("weights of inputs", gate.input_weights.size(), params_.units * params_.inputs);
    require_size("weights of the hidden state", gate.hidden_weights.size(), params_.units * params_.units);
    require_size("bias values", gate.bias.size(), params_.units);
    check(gate.bias);
    check(gate.input_scale);
    check(gate.hidden_scale);
  }
  check(params_.hidden_scale);
}

std::int16_t Lstm::gate(Gate which, std::size_t unit, std::span<const std::int16_t> input,
                        std::span<const std::int16_t> hidden) const {
  const LstmGate& g = params_.gates[which];
  const auto rounded = [&](std::int64_t sum, const QuantParam& scale) -> std::int32_t {
    return saturate_to_int16(params_.narrow ? scaled(wrap_to_int32(sum), scale) : rescale_wide(sum, scale));
  };
  const std::int64_t of_input =
      g.bias[unit] + dot(input.data(), g.input_weights.data() + unit * params_.inputs, params_.inputs);
  const std::int64_t of_hidden = dot(hidden.data(), g.hidden_weights.data() + unit * params_.units, params_.units);
  const std::int16_t sum = saturate_to_int16(rounded(of_input, g.input_scale) + rounded(of_hidden, g.hidden_scale));
  return which == kCell ? tanh16(sum, gate_points_) : logistic16(sum, gate_points_);
}

void Lstm::step(std::span<const std::int16_t> input, std::span<std::int16_t> hidden, std::span<std::int16_t> cell) {
  require_size("inputs", input.size(), params_.inputs);
  require_size("elements of the hidden state", hidden.size(), params_.units);
  require_size("elements of the cell state", cell.size(), params_.units);
  for (std::size_t unit = 0; unit < params_.units; ++unit) {
    const std::int32_t keep = gate(kForget, unit, input, hidden);
    const std::int32_t enter = gate(kInput, unit, input, hidden);
    const std::int32_t candidate = gate(kCell, unit, input, hidden);
    opened_[unit] = gate(kOutput, unit, input, hidden);
    const std::int32_t kept = saturate_to_int16(scaled(keep * cell[unit], keep_));
    const std::int32_t entered = saturate_to_int16(scaled(enter * candidate, enter_));
    cell[unit] = saturate_to_int16(kept + entered);
    if (params_.cell_clip) {
      cell[unit] = std::clamp(cell[unit], static_cast<std::int16_t>(-*params_.cell_clip), *params_.cell_clip);
    }
  }
  for (std::size_t unit = 0; unit < params_.units; ++unit) {
    const std::int32_t out =
        scaled(tanh16(cell[unit], cell_points_) * std::int32_t{opened_[unit]}, params_.hidden_scale);
    hidden[unit] = static_cast<std::int16_t>(
        clamp_to(params_.hidden_range, std::int64_t{out} + params_.hidden_zero_point) - params_.hidden_zero_point);
  }
}

void svdf_step(const SvdfParams& p, std::span<const std::int16_t> input, std::span<std::int16_t> state,
               std::span<std::int8_t> output) {
  const std::size_t filters = p.units * p.rank;
  require_size("inputs", input.size(), p.inputs);
  require_size("elements of the state", state.size(), filters * p.memory);
  require_size("outputs", output.size(), p.units);
  require_size("weights of inputs", p.feature_weights.size(), filters * p.inputs);
  require_size("weights of time", p.time_weights.size(), filters * p.memory);
  for (std::size_t unit = 0; unit < p.units; ++unit) {
    std::int64_t sum = p.bias.empty() ? 0 : p.bias[unit];
    for (std::size_t filter = unit * p.rank; filter < (unit + 1) * p.rank; ++filter) {
      const std::span<std::int16_t> past = state.subspan(filter * p.memory, p.memory);
      std::move(past.begin() + 1, past.end(), past.begin());
      const std::int32_t feature =
          wrap_to_int32(dot(input.data(), p.feature_weights.data() + filter * p.inputs, p.inputs));
      past.back() = clamp_to(p.state_range, std::int64_t{scaled(feature, p.feature_scale)} + p.state_zero_point);
      for (std::size_t i = 0; i < p.memory; ++i) {
        sum += std::int64_t{past[i] - p.state_zero_point} * p.time_weights[filter * p.memory + i];
      }
    }
    const std::int64_t value = std::int64_t{scaled(wrap_to_int32(sum), p.output_scale)} + p.output_zero_point;
    output[unit] = static_cast<std::int8_t>(std::clamp<std::int64_t>(value, -128, 127));
  }
}

}  // namespace systole::golden
