// SPDX-License-Identifier: Apache-2.0
// Layer normalization of float32 in ONNX's arithmetic.
#include "execute_binary32.hpp"
#include "layer_norm32.hpp"
#include "parallel.hpp"

namespace systole::graph {

std::optional<Value> in_binary32(const Call& call, const LayerNormalize& op) {
  constexpr std::size_t kCost = 200;  // of an element, in multiply-accumulates
  const Value& input = call.input(0);
  const auto channels = static_cast<std::size_t>(input.shape.back());
  if (call.op.arithmetic != Arithmetic::kOnnx || input.type != ElementType::kFloat32 ||
      channels > golden::kMostElementsOfLayerNorm32) {
    return std::nullopt;
  }
  auto values = elements<float>(input);
  const auto gamma = elements<float>(call.input(1)), beta = elements<float>(call.input(2));
  golden::parallel_ranges(values.size() / channels, kCost * channels, [&](std::size_t row, std::size_t last) {
    for (; row < last; ++row) {
      float* const numbers = values.data() + row * channels;
      golden::layer_norm32(numbers, numbers, channels, gamma.data(), beta.data(), op.epsilon);
    }
  });
  return make_value(call.output_tensor().type, call.output_tensor().shape, values);
}

}  // namespace systole::graph
