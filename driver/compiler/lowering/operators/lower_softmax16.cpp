// SPDX-License-Identifier: Apache-2.0
#include "lower_softmax16.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "fixed_point.hpp"
#include "functions16.hpp"
#include "infer.hpp"
#include "int16.hpp"
#include "quantized_types.hpp"
#include "refused.hpp"
#include "row_formulas.hpp"

namespace systole::network {
namespace {

using graph::ElementType;
using graph::Tensor;

constexpr std::int64_t kMostBytes = 8191;   // exponentials of 2^19 at most, with a sum below 2^32
constexpr std::int64_t kMostWords = 65536;  // exponentials of 15 bits, with a sum below 2^31
constexpr float kOfWords = 1.0F / 32768, kOfBytes = 1.0F / 65536;

/// Two neighbouring lines of the function in each word, as the kernels of softmax16 take them: a point of 15 bits, the
/// difference to the next one, and by how much the one after that is greater.
compiler::KernelTable lines_of(const golden::Steps& steps) {
  compiler::KernelTable table{};
  constexpr std::size_t kMiddle = 128;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const int first = steps[2 * i], slope = steps[2 * i + 1] - first, next = steps[2 * i + 2] - steps[2 * i + 1];
    const int bend = next - slope;
    require(first >= 0 && slope >= -1024 && slope < 1024 && bend >= -32 && bend < 32, "a function that no table holds");
    table[(i + kMiddle) % table.size()] = static_cast<std::uint32_t>(first) |
                                          (static_cast<std::uint32_t>(slope) & 0x7FF) << 15 |
                                          static_cast<std::uint32_t>(bend) << 26;
  }
  return table;
}

Layer layer_of(const graph::Graph& graph, const graph::Operator& op, compiler::KernelCall call) {
  Layer layer;
  layer.name = op.name;
  layer.kind = KernelLayer{std::move(call)};
  layer.inputs = {op.inputs[0]};
  layer.input_images = {image_of(graph.tensor(op.inputs[0]))};
  layer.output = op.outputs[0];
  layer.output_image = image_of(graph.tensor(op.outputs[0]));
  return layer;
}

}  // namespace

std::vector<Layer> lower_softmax16(const graph::Graph& graph, const graph::Operator& op,
                                   const graph::Softmax& softmax) {
  const Tensor &input = graph.tensor(op.inputs[0]), &output = graph.tensor(op.outputs[0]);
  require_type(input, {ElementType::kInt8, ElementType::kInt16}, "int8 or int16");
  require(op.arithmetic == graph::Arithmetic::kTfLite && !softmax.logarithm,
          "a logarithm of softmax of int16, or ONNX's arithmetic");
  require(!input.constant, "a constant operand");
  require(graph::axis_of(softmax.axis, input.shape.size()) + 1 == input.shape.size(),
          "a softmax along another axis than the last");
  const float scale = graph::scale_of(input);
  const std::int64_t depth = input.shape.back();
  if (input.type == ElementType::kInt8) {
    require(
        graph::is_near_fraction(graph::scale_of(output), kOfBytes) && output.quantization->zero_point[0] == -32768,
        "a softmax whose result has a scale that is not within 0.1 % of 1/65536, or another zero point than -32768");
    require(depth <= kMostBytes, "a softmax of more than 8191 elements");
    compiler::KernelCall call = softmax_bytes(depth, kernel::Format::kI16);
    const auto exponentials = golden::softmax_exponentials(scale, softmax.beta);
    call.table.emplace();
    std::copy(exponentials.begin(), exponentials.end(), call.table->begin());
    return {layer_of(graph, op, std::move(call))};
  }
  require(graph::is_near_fraction(graph::scale_of(output), kOfWords),
          "a softmax of int16 whose result has a scale that is not within 0.1 % of 1/32768");
  require(depth <= kMostWords, "a softmax of more than 65536 elements");
  const QuantParam to_steps = quantize_multiplier(double{scale} * double{softmax.beta} / (10.0 / 65535.0));
  const auto with_lines = [](compiler::KernelCall call, const golden::Steps& steps) {
    call.table = lines_of(steps);
    return call;
  };
  Layer exponentials = layer_of(graph, op, with_lines(exponentials16(depth, to_steps), golden::exponential_steps()));
  exponentials.name += "/exponentials";
  exponentials.output = between_layers(op.outputs[0], 0);
  exponentials.output_image = exponentials.input_images[0];
  Layer shares = layer_of(graph, op, with_lines(shares16(depth), golden::reciprocal_steps()));
  shares.inputs = {exponentials.output};
  return {std::move(exponentials), std::move(shares)};
}

}  // namespace systole::network
