// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel_lstm.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// LSTM with int8 or int16 inputs and hidden state, whose weights and initial state are constant. Throws Refused.
compiler::LstmCall lstm_call(const graph::Graph& graph, const graph::Operator& op, const graph::Lstm& lstm);

}  // namespace systole::network
