// SPDX-License-Identifier: Apache-2.0
#include "lower_quantize.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "integer_formulas.hpp"
#include "kernel_steps.hpp"
#include "quantized_values.hpp"
#include "refused.hpp"
#include "systole/execute.hpp"

namespace systole::network {
namespace {

using compiler::KernelCall;
using F = compiler::FloatWord;
using I = compiler::IntWord;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::Tensor;
using kernel::Format;

std::uint32_t bits_of(float number) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

/// Numbers in their order, -infinity and infinity included: neighbours have neighbouring numbers.
float number_of(std::int64_t place) {
  const auto size = static_cast<std::uint32_t>(place < 0 ? -place - 1 : place);
  const std::uint32_t bits = place < 0 ? size | 0x80000000U : size;
  float number = 0;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
constexpr std::int64_t kInfinity = 0x7F800000;
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

float scale_of(const Tensor& tensor) {
  // Far from numbers that the device treats as zeros, and from infinity.
  constexpr float kLeast = 1e-30F, kMost = 1e30F;
  require(tensor.quantization.has_value() && !tensor.quantization->per_channel(), "a tensor without a single scale");
  const float scale = tensor.quantization->scale[0];
  require(scale >= kLeast && scale <= kMost, "a scale below 1e-30 or above 1e30");
  return scale;
}

/// The host's results for some numbers.
graph::Value quantized(const Graph& graph, const Operator& op, const std::vector<float>& numbers) {
  Graph all;
  all.name = graph.name;
  all.tensors = {graph.tensor(op.inputs[0]), graph.tensor(op.outputs[0])};
  for (Tensor& tensor : all.tensors) {
    tensor.shape = {static_cast<std::int64_t>(numbers.size())};
  }
  all.inputs = {0};
  all.outputs = {1};
  Operator convert = op;
  convert.inputs = {0};
  convert.outputs = {1};
  all.operators.push_back(std::move(convert));
  const graph::Value input = graph::make_value(ElementType::kFloat32, all.tensors[0].shape, numbers);
  return graph::execute(all, {input}).front();
}

/// For each result the least number that gives it, found by bisection of all of them at the same time.
compiler::KernelTable least_numbers(const Graph& graph, const Operator& op) {
  constexpr int kLeast = -127, kMost = 127;
  constexpr std::size_t kCount = kMost - kLeast + 1;
  std::vector<std::int64_t> below(kCount, -kInfinity - 2), from(kCount, kInfinity);  // the number lies behind and up to
  std::vector<float> middle(kCount);
  const auto place = [&](std::size_t i) { return (below[i] + from[i]) >> 1; };
  for (std::int64_t widest = kInfinity; widest > 1;) {
    for (std::size_t i = 0; i < kCount; ++i) {
      middle[i] = number_of(place(i));
    }
    const std::vector<std::int8_t> results = graph::as_int8(quantized(graph, op, middle));
    widest = 0;
    for (std::size_t i = 0; i < kCount; ++i) {
      (results[i] >= kLeast + static_cast<int>(i) ? from : below)[i] = place(i);
      widest = std::max(widest, from[i] - below[i]);
    }
  }
  compiler::KernelTable table{};
  for (std::size_t i = 0; i < kCount; ++i) {
    table[static_cast<std::uint8_t>(kLeast + static_cast<int>(i))] = bits_of(number_of(from[i]));
  }
  table[static_cast<std::uint8_t>(kMost + 1)] = bits_of(std::numeric_limits<float>::infinity());
  return table;
}

constexpr float kAbove = 0x1p-13F;  // more than the errors of a product up to 2^8 and a sum

/// As if divided by the scale. The product with the reciprocal, plus the zero point and a little, gives the result or
/// the next one. The least number that gives that decides: the table has those of -127 .. 127, and infinity for 128. A
/// sum of other integers than these saturates; `least` keeps it from the least of all.
I quantized_byte() {
  const F x = maximum(real(0), given_real("least"));
  const I near = to_int(x * given_real("factor") + given_real("zero"));
  return near + less(x, as_float(table(near)));
}

/// The magnitude rounded to nearest; a rest `beyond` which it is rounded up tells what becomes of ties.
I quantized_word() {
  constexpr float kLimit = 131072;  // saturates in any case
  const F x = real(0), size = minimum(golden::functions::absolute(x), F(kLimit));
  const I whole = to_int(size), sign = as_int(x) >> 31;
  const I magnitude = whole - less(given_real("beyond"), size - to_float(whole));
  return golden::functions::select(golden::functions::is_nan(x), given("not_a_number"),
                                   (magnitude ^ sign) - sign + given("zero"));
}

KernelCall from_float(const Graph& graph, const Operator& op, const Tensor& to) {
  require_type(to, {ElementType::kInt8, ElementType::kUint8}, "int8, uint8 or int16 from float32");
  const float scale = scale_of(to);
  const auto of_nan = graph::as_int8(quantized(graph, op, {kNaN}))[0];
  I result = quantized_byte();
  if (of_nan != 0) {
    result = golden::functions::select(golden::functions::is_nan(real(0)), I(of_nan), result);
  }
  KernelCall call = compiler::element_call(
      {"quantize", {Format::kI32}, Format::kI8, result.word},
      {{"factor", bits_of(1.0F / scale)},
       {"zero", bits_of(static_cast<float>(graph::zero_point_of(to)) + kAbove)},
       {"least", bits_of(static_cast<float>(std::max(-0x1p30 * scale, -double{std::numeric_limits<float>::max()})))}});
  call.table = least_numbers(graph, op);
  return call;
}

/// The quotient, rounded as the host does it, then rounded to an integer.
std::vector<Layer> to_int16(const Graph& graph, const Operator& op, const Tensor& to) {
  KernelSteps steps(graph, op);
  const bool ties_even = op.arithmetic == graph::Arithmetic::kOnnx;
  const Term quotient = steps.apply(
      compiler::element_call({"divide", {Format::kI32, Format::kI32}, Format::kI32, divide(real(0), real(1)).word}),
      {steps.given(0), steps.constant(scale_of(to))});
  return steps.finish(steps.apply(
      compiler::element_call({"quantize", {Format::kI32}, Format::kI16, quantized_word().word},
                             {{"beyond", bits_of(ties_even ? 1.0F : std::nextafter(0.5F, 0.0F))},
                              {"zero", to.quantization->zero_point[0]},
                              {"not_a_number", graph::elements<std::int16_t>(quantized(graph, op, {kNaN}))[0]}}),
      {quotient}, ElementType::kInt16));
}

KernelCall to_float(const Tensor& from) {
  require_type(from, {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16}, "int8, uint8 or int16");
  const bool wide = from.type == ElementType::kInt16;
  const F result = to_float(integer(0) - given("zero")) * given_real("factor");
  return compiler::element_call({"dequantize", {wide ? Format::kI16 : Format::kI8}, Format::kI32, result.word},
                                {{"factor", bits_of(scale_of(from))},
                                 {"zero", wide ? from.quantization->zero_point[0] : graph::zero_point_of(from)}});
}

}  // namespace

bool is_quantization(const Graph& graph, const Operator& op) {
  if (!std::holds_alternative<graph::Convert>(op.kind)) {
    return false;
  }
  const Tensor &from = graph.tensor(op.inputs[0]), &to = graph.tensor(op.outputs[0]);
  return (from.type == ElementType::kFloat32 && to.quantization) ||
         (to.type == ElementType::kFloat32 && from.quantization);
}

std::vector<Layer> lower_quantization(const Graph& graph, const Operator& op) {
  const Tensor &from = graph.tensor(op.inputs[0]), &to = graph.tensor(op.outputs[0]);
  require(!from.constant, "a constant operand");
  if (to.type == ElementType::kInt16 && from.type == ElementType::kFloat32) {
    return to_int16(graph, op, to);
  }
  Layer layer;
  layer.name = op.name;
  layer.kind = KernelLayer{to.type == ElementType::kFloat32 ? to_float(from) : from_float(graph, op, to), true};
  layer.inputs = {op.inputs[0]};
  layer.input_images = {image_of(from)};
  layer.output = op.outputs[0];
  layer.output_image = image_of(to);
  return {std::move(layer)};
}

}  // namespace systole::network
