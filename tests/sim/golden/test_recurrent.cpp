// SPDX-License-Identifier: Apache-2.0
// Stateful operators: limits, and agreement with real arithmetic.
#include "recurrent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

namespace systole::golden::test {
namespace {

constexpr float kWeightScale = 1.0F / 128;
constexpr float kInputScale = 1.0F / 64;
constexpr float kHiddenScale = 1.0F / 128;
constexpr int kCellExponent = -11;

/// Of 8 bits, with random weights.
LstmParams small_lstm(std::mt19937& random) {
  const auto bytes = [&](std::size_t size) {
    std::vector<std::int8_t> values(size);
    for (std::int8_t& value : values) {
      value = static_cast<std::int8_t>(static_cast<int>(random() % 255) - 127);
    }
    return values;
  };
  LstmParams params;
  params.inputs = 3;
  params.units = 4;
  for (LstmGate& gate : params.gates) {
    gate.input_weights = bytes(12);
    gate.hidden_weights = bytes(16);
    for (int unit = 0; unit < 4; ++unit) {
      gate.bias.push_back(static_cast<std::int64_t>(random() % 4000) - 2000);
    }
    gate.input_scale = lstm_gate_scale(kInputScale, kWeightScale);
    gate.hidden_scale = lstm_gate_scale(kHiddenScale, kWeightScale);
  }
  params.cell_exponent = kCellExponent;
  params.hidden_scale = lstm_hidden_scale(kHiddenScale);
  params.hidden_range = {-128, 127};
  return params;
}

/// The same step in real numbers.
void real_step(const LstmParams& p, const std::vector<std::int16_t>& input, std::vector<double>& hidden,
               std::vector<double>& cell) {
  const auto sum = [&](std::size_t gate, std::size_t unit) {
    const LstmGate& g = p.gates[gate];
    double result = static_cast<double>(g.bias[unit]) * kInputScale * kWeightScale;
    for (std::size_t i = 0; i < p.inputs; ++i) {
      result += input[i] * g.input_weights[unit * p.inputs + i] * double{kInputScale * kWeightScale};
    }
    for (std::size_t i = 0; i < p.units; ++i) {
      result += hidden[i] * g.hidden_weights[unit * p.units + i] * double{kWeightScale};
    }
    return result;
  };
  const auto sigmoid = [](double x) { return 1 / (1 + std::exp(-x)); };
  std::vector<double> next(p.units);
  for (std::size_t unit = 0; unit < p.units; ++unit) {
    cell[unit] = sigmoid(sum(1, unit)) * cell[unit] + sigmoid(sum(0, unit)) * std::tanh(sum(2, unit));
    next[unit] = sigmoid(sum(3, unit)) * std::tanh(cell[unit]);
  }
  hidden = next;
}

TEST(Lstm, IsNearTheRealOne) {
  std::mt19937 random(1);
  const LstmParams params = small_lstm(random);
  Lstm lstm(params);
  std::vector<std::int16_t> hidden(4), cell(4);
  std::vector<double> real_hidden(4), real_cell(4);
  for (int step = 0; step < 20; ++step) {
    std::vector<std::int16_t> input(3);
    for (std::int16_t& value : input) {
      value = static_cast<std::int16_t>(static_cast<int>(random() % 256) - 128);
    }
    lstm.step(input, hidden, cell);
    real_step(params, input, real_hidden, real_cell);
    for (std::size_t unit = 0; unit < 4; ++unit) {
      EXPECT_NEAR(hidden[unit] * double{kHiddenScale}, real_hidden[unit], 0.02) << "step " << step << " unit " << unit;
      EXPECT_NEAR(std::ldexp(cell[unit], kCellExponent), real_cell[unit], 0.03) << "step " << step << " unit " << unit;
    }
  }
}

TEST(Lstm, ClipsTheCellAndShiftsTheHiddenState) {
  std::mt19937 random(1);
  LstmParams params = small_lstm(random);
  for (LstmGate& gate : params.gates) {
    gate.bias.assign(4, 1 << 20);  // all gates open
  }
  params.cell_clip = 100;
  params.hidden_zero_point = -128;
  std::vector<std::int16_t> hidden(4), cell(4, -32768);
  const std::vector<std::int16_t> input(3);
  Lstm(params).step(input, hidden, cell);
  EXPECT_EQ(cell, std::vector<std::int16_t>(4, -100));
  EXPECT_EQ(hidden, std::vector<std::int16_t>(4, 0));  // values below the zero point of -128 saturate
  cell.assign(4, 0);
  Lstm(params).step(input, hidden, cell);
  EXPECT_EQ(cell, std::vector<std::int16_t>(4, 100));
  EXPECT_EQ(hidden, std::vector<std::int16_t>(4, 6));  // tanh(100 / 2048) * 128
}

TEST(Lstm, RefusesSizesAndScales) {
  std::mt19937 random(1);
  LstmParams params = small_lstm(random);
  std::vector<std::int16_t> three(3), four(4);
  EXPECT_THROW(Lstm(params).step(three, three, four), std::invalid_argument);
  EXPECT_THROW(Lstm(params).step(four, four, four), std::invalid_argument);
  params.cell_exponent = 8;
  EXPECT_THROW(Lstm{params}, std::invalid_argument);
  params = small_lstm(random);
  params.gates[2].bias.pop_back();
  EXPECT_THROW(Lstm{params}, std::invalid_argument);
}

TEST(Svdf, ForgetsTheOldestAndSumsOverRankAndTime) {
  SvdfParams params;
  params.inputs = 2;
  params.units = 1;
  params.rank = 2;
  params.memory = 3;
  params.feature_weights = {1, 2, 10, 0};
  params.time_weights = {1, 10, 100, 0, 0, 1};
  params.bias = {1000};
  params.feature_scale = quantize_multiplier(1.0);
  params.output_scale = quantize_multiplier(0.125);
  params.output_zero_point = -7;
  std::vector<std::int16_t> state = {9, 2, 3, 9, 5, 6};
  std::vector<std::int8_t> output(1);
  svdf_step(params, std::vector<std::int16_t>{1, -2}, state, output);
  EXPECT_EQ(state, (std::vector<std::int16_t>{2, 3, -3, 5, 6, 10}));
  EXPECT_EQ(output[0], (2 + 30 - 300 + 10 + 1000 + 2) / 8 - 7);
  params.state_range = {-128, 2};
  params.state_zero_point = 1;
  svdf_step(params, std::vector<std::int16_t>{1, 2}, state, output);
  EXPECT_EQ(state, (std::vector<std::int16_t>{3, -3, 2, 6, 10, 2}));
  EXPECT_EQ(output[0], 126);  // 1063 / 8 - 7
  EXPECT_THROW(svdf_step(params, std::vector<std::int16_t>{1}, state, output), std::invalid_argument);
}

}  // namespace
}  // namespace systole::golden::test
