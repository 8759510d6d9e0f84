// SPDX-License-Identifier: Apache-2.0
// Stateful operators; the file keeps the state in variables.
#include <fmt/core.h>

#include "tflite_translation.hpp"

namespace systole::graph::tflite_file {
namespace {

/// Operand indices of the file's operator.
constexpr std::size_t kWeights = 1;  // of the input, then of the hidden state, four gates each
constexpr std::size_t kGates = 4;
constexpr std::size_t kBias = 12;
constexpr std::size_t kHidden = 18;
constexpr std::size_t kCell = 19;

/// Refuses extensions without an integer definition in the reference kernels.
void refuse_extensions(Translation& t) {
  const auto refuse = [&](std::size_t first, std::size_t last, const char* what) {
    for (std::size_t i = first; i <= last; ++i) {
      if (t.optional_input(i) != kNoTensor) {
        t.fail(fmt::format("{} (input {}) are not supported; convert the model without them", what, i));
      }
    }
  };
  refuse(9, 11, "peephole weights");
  refuse(16, 17, "projection weights");
  refuse(20, 23, "layer normalization weights");
  if (t.optional_input(kWeights) == kNoTensor) {
    t.fail(
        "coupled input and forget gates (input 1 is missing) are not supported; convert the model with an input gate "
        "of its own");
  }
}

void unidirectional_sequence_lstm(Translation& t) {
  const auto& o = t.options<format::UnidirectionalSequenceLSTMOptions>();
  refuse_extensions(t);
  if (o.activation() != format::FusedActivation::TANH) {
    t.fail(fmt::format("cell activation number {}; only TANH is supported", static_cast<int>(o.activation())));
  }
  std::vector<TensorId> inputs = {t.input(0)};
  for (std::size_t i = 0; i < 2 * kGates; ++i) {
    inputs.push_back(t.input(kWeights + i));
  }
  for (std::size_t i = 0; i < kGates; ++i) {
    inputs.push_back(t.input(kBias + i));
  }
  inputs.push_back(t.state(kHidden));
  inputs.push_back(t.state(kCell));
  t.add(Lstm{o.time_major(), o.cell_clip()}, std::move(inputs), {t.output()});
}

void svdf(Translation& t) {
  const auto& o = t.options<format::SVDFOptions>();
  if (o.activation() != format::FusedActivation::NONE && o.activation() != format::FusedActivation::RELU) {
    t.fail(
        fmt::format("fused activation number {}; only NONE and RELU are supported", static_cast<int>(o.activation())));
  }
  // RELU is implied by the range of the result's type: the kernel clamps to nothing else.
  std::vector<TensorId> inputs = {t.input(0), t.input(1), t.input(2), t.state(4)};
  if (const TensorId bias = t.optional_input(3); bias != kNoTensor) {
    inputs.push_back(bias);
  }
  t.add(Svdf{o.rank()}, std::move(inputs), {t.output()});
}

}  // namespace

Handler recurrent_handler(format::OperatorCodeNumber code) {
  switch (code) {
    case format::OperatorCodeNumber::UNIDIRECTIONAL_SEQUENCE_LSTM: return unidirectional_sequence_lstm;
    case format::OperatorCodeNumber::SVDF: return svdf;
    default: return nullptr;
  }
}

}  // namespace systole::graph::tflite_file
