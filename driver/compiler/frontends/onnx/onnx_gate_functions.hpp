// SPDX-License-Identifier: Apache-2.0
// Activation functions of the gates of RNN, GRU and LSTM.
#pragma once

#include <string>

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

struct GateFunction {
  std::string name;  ///< in the file
  float alpha, beta;
  bool takes_alpha, takes_beta;
};

/// A function with its default alpha and beta.
GateFunction gate_function(const std::string& name);

TensorId applied(Translation& t, const GateFunction& f, TensorId x);

}  // namespace systole::graph::onnx_file
