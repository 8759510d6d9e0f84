// SPDX-License-Identifier: Apache-2.0
// TensorFlow Lite files with an LSTM, valid or deliberately invalid.
#pragma once

#include "model_builder.hpp"

namespace systole::graph::test {

inline constexpr std::int32_t kAbsent = -1;

/// An LSTM of 2 inputs, 3 units and 4 steps, and its possible defects.
struct LstmFile {
  format::FusedActivation activation = format::FusedActivation::TANH;
  bool variable = true;
  bool shared_state = false;
  std::int32_t absent = kAbsent;   ///< an operand to omit
  std::int32_t present = kAbsent;  ///< an unsupported operand to add
  float cell_scale = 1.0F / 2048;
  std::int64_t hidden_zero_point = 5;
  std::int32_t batch = 1;

  Bytes bytes() const {
    ModelBuilder m;
    const auto input = m.tensor({{batch, 4, 2}, ElementKind::INT8, {}, {0.05F}, {-3}});
    const auto output = m.tensor({{batch, 4, 3}, ElementKind::INT8, {}, {1.0F / 128}, {5}});
    std::vector<std::int32_t> inputs(24, kAbsent);
    inputs[0] = input;
    for (std::size_t i = 0; i < 4; ++i) {
      inputs[1 + i] = m.tensor({{3, 2}, ElementKind::INT8, Bytes{10, 200, 30, 40, 150, 60}, {0.02F}, {0}});
      inputs[5 + i] = m.tensor({{3, 3}, ElementKind::INT8, Bytes{10, 200, 30, 40, 150, 60, 7, 88, 99}, {0.01F}, {0}});
      inputs[12 + i] = m.tensor({{3}, ElementKind::INT32, bytes_of<std::int32_t>({100, -200, 300}), {0.001F}, {0}});
    }
    inputs[18] = m.tensor({{batch, 3}, ElementKind::INT8, {}, {1.0F / 128}, {hidden_zero_point}, 0, variable});
    inputs[19] =
        shared_state ? inputs[18] : m.tensor({{batch, 3}, ElementKind::INT16, {}, {cell_scale}, {0}, 0, variable});
    if (absent != kAbsent) {
      inputs[static_cast<std::size_t>(absent)] = kAbsent;
    }
    if (present != kAbsent) {
      inputs[static_cast<std::size_t>(present)] = inputs[12];
    }
    m.op(Code::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs, {output}, format::Options::UnidirectionalSequenceLSTMOptions,
         format::CreateUnidirectionalSequenceLSTMOptions(m.builder, activation, 10.0F).Union());
    return m.finish({input}, {output});
  }
};

}  // namespace systole::graph::test
