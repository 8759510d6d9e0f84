// SPDX-License-Identifier: Apache-2.0
// LSTM over a sequence, with int8 or int16 inputs and hidden state and an int16 cell state, as TensorFlow Lite computes
// it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels.hpp"

namespace systole::compiler {

struct LstmGateCall {
  std::vector<std::int8_t> input_weights;   ///< units x inputs
  std::vector<std::int8_t> hidden_weights;  ///< units x units
  std::vector<std::int32_t> bias;           ///< one per unit
  QuantParam input_scale, hidden_scale;     ///< of the sums, to 2^-12; the shift of hidden_scale is at most 0
};

/// What an LSTM has besides if its inputs and hidden state are int16: x = 256 high + (low + 128). The call itself is
/// that of the high bytes, and its gates have sums of scale 2^-12.
struct LstmLowBytes {
  std::array<std::vector<std::int32_t>, 4> bias;  ///< its low bytes
  std::vector<std::int8_t> hidden;
  std::array<KernelCall, 2> split;  ///< element-wise: make the high and the low bytes of int16
  KernelCall requantize;            ///< of 256 a + b, the sums with the inputs, to int16
  std::vector<std::array<std::int32_t, 4>> requantize_words;  ///< further operands of it, one for each gate
  std::array<std::int32_t, 4> hidden_multipliers{};           ///< 2^31 times the scales of the products
};

struct LstmCall {
  bool time_major = false;
  int steps = 1, batches = 1, inputs = 1, units = 1;
  std::array<LstmGateCall, 4> gates;  ///< input, forget, cell, output
  int input_zero_point = 0, hidden_zero_point = 0;
  int cell_exponent = -12;                   ///< the scale of the cell state is 2^exponent, -15 .. 0
  int cell_low = -32768, cell_high = 32767;  ///< limits of the cell state
  QuantParam output_scale;                   ///< of the hidden state; its shift is at most 0
  std::vector<std::int8_t> hidden;           ///< initial, batches x units
  std::vector<std::int16_t> cell;            ///< initial, batches x units
  KernelTable table{};                       ///< gate_lines()
  std::optional<LstmLowBytes> low_bytes = std::nullopt;
};

/// `input` has the inputs as channels and a position for each step of each batch entry, `output` likewise the units.
/// Throws InvalidArgument for scales and exponents out of range, DoesNotFit.
void lstm(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output);

/// The same, without low_bytes, for several batch entries at a time. Throws DoesNotFit before it appends anything.
void lstm_batch(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output);

/// The same with low_bytes.
void lstm16(Builder& builder, const LstmCall& call, const TensorView& input, const TensorView& output);

/// The odd function of the gates by lines: sigmoid(x) = 1/2 + f(x), tanh(x) = f(2x). See lstm_gates.tpuk.
KernelTable gate_lines(const std::array<std::uint16_t, 256>& sigmoid_points);

}  // namespace systole::compiler
