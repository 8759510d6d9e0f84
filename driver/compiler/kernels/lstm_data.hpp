// SPDX-License-Identifier: Apache-2.0
// What an LSTM computes with, as its kernels and weight tiles want it: which unit is in which lane, and the weights,
// sums, states and constants in that order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel_lstm.hpp"

namespace systole::compiler {

inline constexpr int kLstmGates = 4;
inline constexpr int kLstmColumns = 2;                            // of a group
inline constexpr int kLstmGroupRows = kLstmGates * kLstmColumns;  // a strip

/// Throws InvalidArgument for scales that the kernels do not support.
void check_scales(const LstmCall& call);

std::vector<std::uint8_t> bytes_of_words(const std::vector<std::int32_t>& words);

/// Loads rows of DIM bytes, which become a constant in device memory.
void load_rows(Builder& builder, std::vector<std::uint8_t> bytes, isa::Space space, int row);

class LstmData {
 public:
  /// `spreads`: the second and last block has copies of its units for each gate (kernel_lstm.cpp).
  LstmData(const LstmCall& call, int dim, bool spreads);

  /// Of all groups, gate by gate, two columns of DIM each.
  int channels() const { return groups_ * kLstmGroupRows * dim_; }
  /// Whether a column of the channels has units: the second one of the last group may have none.
  bool has_units(int column) const { return column / kLstmGroupRows * kLstmColumns + column % kLstmColumns < columns_; }

  /// Channels x inputs, and channels x units. Channels without a unit are 0.
  std::vector<std::int8_t> input_weights() const;
  std::vector<std::int8_t> hidden_weights() const;
  /// Weight tiles of the hidden state if it spreads: those of the first block, column by column; then those of the
  /// second one, whose rows belong to the gates in turn.
  std::vector<std::uint8_t> spread_weights() const;

  /// One for each channel: the bias; the bias and the part of the products that the zero point of the inputs makes; the
  /// part that the zero point of the hidden state makes.
  std::vector<std::int32_t> bias() const;
  std::vector<std::int32_t> folded_bias() const;
  std::vector<std::int32_t> initial_sums() const;

  /// One for each channel of a gate, input, forget, cell, output.
  std::vector<std::int32_t> by_gate(const std::array<std::int32_t, kLstmGates>& words) const;

  /// Initial states as rows: int16 by batch entry and column of all groups, int8 by batch entry and column.
  std::vector<std::uint8_t> cell() const;
  std::vector<std::uint8_t> hidden() const;
  /// If it spreads: masks of the copies, and the copies of the initial hidden state.
  std::vector<std::uint8_t> masks() const;
  std::vector<std::uint8_t> copies() const;

  /// Rows of constants, by gate, as lstm_constants reads them.
  std::vector<std::uint8_t> constants() const;
  /// Whether the cell state is finer than the table's scale.
  bool deep() const;
  /// From the cell state to steps of the table, and the greatest step. A deep cell state is limited before.
  int cell_factor() const;
  int cell_bound() const;
  /// Whether products with the hidden state, and those with the inputs, can exceed 16 bits.
  bool saturates() const;
  bool inputs_saturate() const;

 private:
  int unit_of(int column, int lane) const;
  template <class Set>
  void each_channel(Set set) const;

  const LstmCall& call_;
  const int dim_, columns_, groups_;
  const bool spreads_;
};

}  // namespace systole::compiler
