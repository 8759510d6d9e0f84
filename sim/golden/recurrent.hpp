// SPDX-License-Identifier: Apache-2.0
//
// Stateful operators, as in the reference kernels of TensorFlow Lite for Microcontrollers (kernels/lstm_eval.h and
// svdf_common.cc). Inputs and hidden states are given minus their zero point, so that int8 and int16 are the same here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "functions16.hpp"
#include "wide.hpp"

namespace systole::golden {

// One gate: sums of the input and of the hidden state are each rounded to 16 bits of scale 2^-12,
// then added.
struct LstmGate {
  std::vector<std::int8_t> input_weights;   // units x inputs
  std::vector<std::int8_t> hidden_weights;  // units x units
  WideBias bias;                            // one per unit
  QuantParam input_scale, hidden_scale;
};

struct LstmParams {
  std::size_t inputs = 1, units = 1;
  std::array<LstmGate, 4> gates;          // input, forget, cell, output, in the order of the file
  bool narrow = true;                     // accumulators of 32 bits, for 8-bit inputs; otherwise rescale_wide()
  int cell_exponent = -12;                // the cell's scale is 2^exponent
  std::optional<std::int16_t> cell_clip;  // largest magnitude of a cell
  QuantParam hidden_scale;                // 2^-30 divided by the hidden state's scale
  std::int32_t hidden_zero_point = 0;
  Clamp16 hidden_range;  // of the hidden state, zero point included
};

// The scale of a gate's sums.
QuantParam lstm_gate_scale(float input, float weights);
QuantParam lstm_hidden_scale(float hidden);

class Lstm {
 public:
  // Throws InvalidArgument for sizes that do not match and scales out of range.
  explicit Lstm(LstmParams params);

  // One step: `hidden` and `cell` hold the state, one element per unit, before and after it.
  void step(std::span<const std::int16_t> input, std::span<std::int16_t> hidden, std::span<std::int16_t> cell);

 private:
  enum Gate : std::size_t { kInput, kForget, kCell, kOutput };
  std::int16_t gate(Gate which, std::size_t unit, std::span<const std::int16_t> input,
                    std::span<const std::int16_t> hidden) const;

  LstmParams params_;
  PointScale gate_points_, cell_points_;
  QuantParam keep_, enter_;
  std::vector<std::int16_t> opened_;  // the gated outputs of the cells, before the hidden state is overwritten
};

// SVDF: each of units x rank filters has weights over the inputs, and weights over its last `memory` results, which are
// the state, oldest first.
struct SvdfParams {
  std::size_t inputs = 1, units = 1, rank = 1, memory = 1;
  std::vector<std::int8_t> feature_weights;  // filters x inputs
  std::vector<std::int16_t> time_weights;    // filters x memory
  std::vector<std::int32_t> bias;            // one per unit; empty means none
  QuantParam feature_scale, output_scale;
  std::int32_t state_zero_point = 0;
  Clamp16 state_range;  // of the state, zero point included
  std::int32_t output_zero_point = 0;
};

// One step: `state` is filters x memory, zero point included; `output` has one element per unit.
void svdf_step(const SvdfParams& params, std::span<const std::int16_t> input, std::span<std::int16_t> state,
               std::span<std::int8_t> output);

}  // namespace systole::golden
