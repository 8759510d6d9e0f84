// SPDX-License-Identifier: Apache-2.0
#include "lower_kernels.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <iterator>

#include "fixed_point.hpp"
#include "infer.hpp"
#include "inverse_root.hpp"
#include "layer_norm.hpp"
#include "log_softmax.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "row_formulas.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Tensor;

constexpr std::int64_t kMostSummands = 8191;     // exponentials of 2^19 at most, with a sum below 2^32
constexpr std::int64_t kMostLogSummands = 4095;  // below 2^31
constexpr std::int64_t kMostSquares = 33025;     // of 255, with a sum below 2^31

void set_table(compiler::KernelCall& call, const std::array<std::int32_t, kernel::kTableWords>& words) {
  call.table.emplace();
  std::copy(words.begin(), words.end(), call.table->begin());
}

compiler::KernelCall log_softmax_call(const Tensor& input, const golden::UniformQuantization& output) {
  require(output.scale == 1.0F / 16 && output.zero_point == 127,
          "a logarithm of softmax whose result has another scale than 1/16, or does not end at 0");
  require(input.shape.back() <= kMostLogSummands, "a logarithm of softmax of more than 4095 elements");
  const golden::LogSoftmaxParams params = golden::log_softmax_params(graph::quantization_of(input).scale);
  compiler::KernelCall call =
      log_softmax_bytes(input.shape.back(), params.to_fixed, params.from_fixed, params.least - 1);
  set_table(call, params.exponentials);
  return call;
}

}  // namespace

compiler::KernelCall softmax_call(const graph::Graph& graph, const graph::Operator& op, const graph::Softmax& softmax) {
  const Tensor& input = graph.tensor(op.inputs[0]);
  require_type(input, {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
  require_type(graph.tensor(op.outputs[0]), {ElementType::kInt8, ElementType::kUint8}, "int8 or uint8");
  require(graph::axis_of(softmax.axis, input.shape.size()) + 1 == input.shape.size(),
          "a softmax along another axis than the last");
  if (softmax.logarithm) {
    return log_softmax_call(input, quantization(graph.tensor(op.outputs[0])));
  }
  const golden::UniformQuantization to = quantization(graph.tensor(op.outputs[0]));
  require(to.scale == 1.0F / 256 && to.zero_point == -128,
          "a softmax whose result has another scale than 1/256, or does not begin at 0");
  require(input.shape.back() <= kMostSummands, "a softmax of more than 8191 elements");
  compiler::KernelCall call = softmax_bytes(input.shape.back(), kernel::Format::kI8);
  set_table(call, golden::softmax_exponentials(graph::quantization_of(input).scale, softmax.beta));
  return call;
}

compiler::KernelCall layer_norm_call(const graph::Graph& graph, const graph::Operator& op,
                                     const graph::LayerNormalize& normalize) {
  const Tensor& input = graph.tensor(op.inputs[0]);
  require_type(input, {ElementType::kInt8}, "int8");
  const auto constant = [&](std::size_t i) {
    return graph::elements<float>(graph::constant_value(graph.tensor(op.inputs[i])));
  };
  const golden::LayerNormParams params =
      golden::layer_norm_params(constant(1), constant(2), normalize.epsilon, quantization(input).scale,
                                quantization(graph.tensor(op.outputs[0])));
  const auto count = static_cast<std::int64_t>(params.gamma.size());
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  compiler::KernelCall call = layer_norm_bytes(count, count <= golden::kMostElementsOfExactVariance, params.epsilon);
  for (const std::vector<float>* values : {&params.gamma, &params.beta}) {
    call.channel_words.emplace_back();
    std::transform(values->begin(), values->end(), std::back_inserter(call.channel_words.back()), bits);
  }
  return call;
}

compiler::KernelCall l2_normalize_call(const graph::Graph& graph, const graph::Operator& op) {
  const Tensor& input = graph.tensor(op.inputs[0]);
  const golden::UniformQuantization to = quantization(graph.tensor(op.outputs[0]));
  require(to.scale == 1.0F / 128 && to.zero_point == 0,
          "a normalization whose result has another scale than 1/128, or another zero point than the middle");
  require(input.shape.back() <= kMostSquares, "a normalization of more than 33025 elements");
  return l2_normalize_bytes(input.shape.back(), quantization(input).zero_point);
}

}  // namespace systole::network
