// SPDX-License-Identifier: Apache-2.0
// The weights of an LSTM's hidden state, in the weight ring for all steps if there is room.
#pragma once

#include "builder.hpp"
#include "lstm_data.hpp"
#include "weights.hpp"

namespace systole::compiler {

class LstmWeights {
 public:
  /// Loads the weights, or, if the ring cannot hold them, those of each product with it.
  LstmWeights(Builder& builder, const LstmData& data, int units);

  /// The products of a group, column by column. `conv` has the positions, their first row, the distance from one block
  /// of units to the next, and the first accumulator row; `column_rows` is the distance from there to the next column.
  /// `accumulate`: adds to what is there.
  void multiply(int group, const isa::Conv& conv, int column_rows, bool accumulate);

 private:
  int row_of(int column) const;

  Builder& builder_;
  const LstmData& data_;
  const int blocks_;  ///< of units
  TiledWeights weights_;
  bool resident_ = false;
  int first_row_ = 0;
};

}  // namespace systole::compiler
