// SPDX-License-Identifier: Apache-2.0
// Convolutions and dense layers of 16-bit activations with 8-bit weights, and products of 16-bit matrices, in
// TensorFlow Lite's arithmetic.
#include "indices.hpp"
#include "infer.hpp"
#include "int16.hpp"
#include "quantized_values.hpp"
#include "wide.hpp"

namespace systole::graph {
namespace {

Activation golden_activation(Activation activation) {
  switch (activation) {
    case Activation::kRelu: return Activation::kRelu;
    case Activation::kRelu6: return Activation::kRelu6;
    case Activation::kReluN1To1: return Activation::kReluN1To1;
    default: return Activation::kNone;
  }
}

/// int32 or int64; empty if there is none.
golden::WideBias bias_of(const Call& call) {
  if (!call.has_input(2)) {
    return {};
  }
  if (call.input(2).type == ElementType::kInt64) {
    return elements<std::int64_t>(call.input(2));
  }
  const std::vector<std::int32_t> narrow = elements<std::int32_t>(call.input(2));
  return {narrow.begin(), narrow.end()};
}

/// Accumulators have 64 bits, except with a 32-bit bias.
bool is_narrow(const Call& call) { return call.has_input(2) && call.input(2).type == ElementType::kInt32; }

/// Per-channel scales are multiplied in double, a dense layer's single scale in float32.
std::vector<QuantParam> scales_of(const Call& call, bool dense) {
  const float input = scale_of(call.input_tensor(0));
  const std::vector<float>& weights = call.input_tensor(1).quantization->scale;
  const float output = scale_of(call.output_tensor());
  return dense && weights.size() == 1 ? std::vector<QuantParam>{golden::dense_scale(input, weights[0], output)}
                                      : golden::convolution_scales(input, weights, output);
}

}  // namespace

golden::Clamp16 clamp16_of(Activation activation, const Tensor& output) {
  return golden::activation_clamp16(golden_activation(activation), scale_of(output));
}

golden::Tensor16 tensor16(const Value& value) {
  const auto at = [&](std::size_t axis) { return static_cast<int>(value.shape.at(axis)); };
  return golden::Tensor16({at(0), at(1), at(2), at(3)}, elements<std::int16_t>(value));
}

Value run_int16(const Call& call, const Conv2d& op) {
  golden::Convolution convolution;
  convolution.window = op.window;
  convolution.groups = op.groups;
  const golden::Tensor64 sums =
      golden::conv2d_wide(tensor16(call.input(0)), tensor8(call.input(1)), bias_of(call), convolution);
  const golden::OutputStage16 stage{scales_of(call, false), clamp16_of(op.activation, call.output_tensor()),
                                    is_narrow(call)};
  return int16_value(golden::apply(stage, sums.data, static_cast<std::size_t>(sums.shape.channels)),
                     call.output_tensor());
}

Value run_int16(const Call& call, const Dense& op) {
  const std::vector<std::int16_t> input = elements<std::int16_t>(call.input(0));
  const std::vector<std::int8_t> weights = elements<std::int8_t>(call.input(1));
  const golden::WideBias bias = bias_of(call);
  golden::check(bias);
  const auto outputs = static_cast<std::size_t>(call.input(1).shape[0]);
  const auto depth = static_cast<std::size_t>(call.input(1).shape[1]);
  std::vector<std::int64_t> sums;
  sums.reserve(input.size() / depth * outputs);
  for (std::size_t row = 0; row < input.size(); row += depth) {
    for (std::size_t o = 0; o < outputs; ++o) {
      sums.push_back((bias.empty() ? 0 : bias[o]) + golden::dot(&input[row], &weights[o * depth], depth));
    }
  }
  const golden::OutputStage16 stage{scales_of(call, true), clamp16_of(op.activation, call.output_tensor()),
                                    is_narrow(call)};
  return int16_value(golden::apply(stage, sums, outputs), call.output_tensor());
}

Value run_int16(const Call& call, const MatMul& op) {
  if (call.has_input(2)) {
    call.unsupported("a matrix product with a bias");
  }
  const Tensor& output = call.output_tensor();
  const Shape batches(output.shape.begin(), output.shape.end() - 2);
  // Rows of the left matrices and columns of the right ones, for every index of the leading dimensions.
  const auto vectors = [&](std::size_t i, bool depth_is_last) {
    const Value& value = call.input(i);
    Shape shape = batches;
    shape.insert(shape.end(), value.shape.end() - 2, value.shape.end());
    const Value all = broadcast_to(value, shape);
    if (depth_is_last) {
      return elements<std::int16_t>(all);
    }
    std::swap(shape.end()[-1], shape.end()[-2]);
    return elements<std::int16_t>(gather(all, shape, {}, [](const Index& at, Index& from) {
      from = at;
      std::swap(from.end()[-1], from.end()[-2]);
      return true;
    }));
  };
  const std::vector<std::int16_t> left = vectors(0, !op.transpose_a);
  const std::vector<std::int16_t> right = vectors(1, op.transpose_b);
  const auto depth = static_cast<std::size_t>(call.input(0).shape.end()[op.transpose_a ? -2 : -1]);
  const auto rows = static_cast<std::size_t>(output.shape.end()[-2]);
  const auto columns = static_cast<std::size_t>(output.shape.back());
  std::vector<std::int64_t> sums;
  sums.reserve(static_cast<std::size_t>(count(output.shape)));
  for (std::size_t row = 0; row * columns < static_cast<std::size_t>(count(output.shape)); ++row) {
    const std::int16_t* first = &right[row / rows * columns * depth];
    for (std::size_t column = 0; column < columns; ++column) {
      sums.push_back(golden::dot(&left[row * depth], first + column * depth, depth));
    }
  }
  return int16_value(golden::apply({scales_of(call, true), {}, false}, sums, columns), output);
}

}  // namespace systole::graph
