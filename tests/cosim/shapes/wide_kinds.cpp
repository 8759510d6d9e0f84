// SPDX-License-Identifier: Apache-2.0
// Operators with elements of 16 or 32 bits.
#include <array>
#include <utility>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::TensorId;
using graph::UnaryKind;

constexpr float kScale = 0.0005F;
constexpr auto kWide = ElementType::kInt16;

/// Operand number `number`, or a constant; one pixel if it is broadcast.
TensorId operand(OneOperator& one, const Spec& spec, int number, ElementType type = kWide) {
  graph::Shape shape = image_of(spec);
  if (spec.at("pixel") == number + 1) {
    shape[0] = shape[1] = shape[2] = 1;
  }
  const float scale = type == kWide ? kScale : 0.02F;
  return spec.at("constant") == number + 1 ? one.constant_of(type, shape, scale) : one.input(shape, scale, type);
}

graph::Graph combination(const Spec& spec, BinaryKind kind, double scale) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto activation = kind == BinaryKind::kSquaredDifference || kind == BinaryKind::kPrelu
                              ? Activation::kNone
                              : static_cast<Activation>(spec.at("activation"));
  const TensorId a = operand(one, spec, 0);
  const TensorId b = operand(one, spec, 1, kind == BinaryKind::kPrelu ? ElementType::kInt8 : kWide);
  if (kind == BinaryKind::kMaximum || kind == BinaryKind::kMinimum) {
    one.requantized(b, a);
    return one.finish(graph::Binary{kind, activation}, {a, b}, one.output(image_of(spec), 0, a));
  }
  return one.finish(graph::Binary{kind, activation}, {a, b},
                    one.output(image_of(spec), scale, graph::kNoTensor, kWide));
}

graph::Graph function(const Spec& spec, UnaryKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec), kScale, kWide);
  graph::Unary unary{kind};
  unary.alpha = static_cast<float>(one.between(-0.5, 0.5));
  if (kind == UnaryKind::kSigmoid || kind == UnaryKind::kTanh) {
    const TensorId output = one.output({}, 0, input);
    one.set_quantization(output, {{1.0F / 32768}, {0}, 0});
    return one.finish(unary, {input}, output);
  }
  return one.finish(unary, {input}, one.output({}, kScale, graph::kNoTensor, kWide));
}

constexpr std::array<ElementType, 4> kTypes = {ElementType::kInt8, ElementType::kUint8, ElementType::kInt16,
                                               ElementType::kInt32};
constexpr std::array<float, 4> kScales = {0.05F, 0.05F, 0.0002F, 3e-9F};

graph::Graph conversion(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  // Not from bytes to bytes, which has a kind of its own.
  const auto pair = static_cast<std::size_t>(spec.at("types"));
  const std::size_t from = pair < 8 ? 2 + pair / 4 : pair % 2, to = pair < 8 ? pair % 4 : 2 + (pair - 8) / 2;
  const TensorId input = one.input(image_of(spec), kScales[from], kTypes[from]);
  return one.finish(graph::Convert{}, {input}, one.output({}, kScales[to], graph::kNoTensor, kTypes[to]));
}

/// Of any bits, or of numbers that are mostly in the range of the result.
graph::Graph quantization(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto type = kTypes[static_cast<std::size_t>(spec.at("type"))];
  const double scale = type == kWide ? kScale : 0.05;
  const TensorId result = one.output(image_of(spec), scale, graph::kNoTensor, type);
  if (spec.at("any") != 0) {
    const TensorId input = one.input(image_of(spec), 1, ElementType::kInt8);
    one.make_plain(input, ElementType::kFloat32);
    return one.finish(graph::Convert{}, {input}, result);
  }
  const TensorId fine = one.input(image_of(spec), type == kWide ? 1.1F * kScale : kScale / 4, kWide);
  const TensorId number = one.plain(ElementType::kFloat32);
  return one.finish(graph::Convert{}, {one.apply(graph::Convert{}, {fine}, number)}, result);
}

graph::Graph number(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto type = static_cast<std::size_t>(spec.at("type"));
  const TensorId input = one.input(image_of(spec), kScales[type], kTypes[type]);
  return one.finish(graph::Convert{}, {input}, one.plain(ElementType::kFloat32));
}

graph::Graph transposition(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId input = one.input(image_of(spec), kScale, kWide);
  constexpr std::array<std::array<int, 4>, 3> kOrders = {{{0, 2, 1, 3}, {0, 3, 1, 2}, {3, 2, 1, 0}}};
  const auto& order = kOrders[static_cast<std::size_t>(spec.at("order"))];
  return one.finish(graph::Transpose{{order.begin(), order.end()}}, {input}, one.output({}, 0, input));
}

}  // namespace

std::vector<Kind> wide_kinds() {
  const Parameters one = kImage + Parameters{kSeed};
  const Parameters two = kImage + Parameters{{"pixel", 0, 2}, {"constant", 0, 2}, kSeed};
  const Parameters active = two + Parameters{kActivation};
  const auto combined = [](const char* name, const char* title, BinaryKind kind, double scale,
                           const Parameters& parameters) {
    return Kind{name, title, parameters, [=](const Spec& spec) { return combination(spec, kind, scale); }};
  };
  const auto of_one = [&](const char* name, const char* title, UnaryKind kind) {
    return Kind{name, title, one, [=](const Spec& spec) { return function(spec, kind); }};
  };
  return {combined("int16_add", "int16: add", BinaryKind::kAdd, 0.0007, active),
          combined("int16_subtract", "int16: subtract", BinaryKind::kSubtract, 0.0007, active),
          combined("int16_multiply", "int16: multiply", BinaryKind::kMultiply, 0.008, active),
          combined("int16_squared_difference", "int16: squared difference", BinaryKind::kSquaredDifference, 0.02, two),
          combined("int16_maximum", "int16: maximum", BinaryKind::kMaximum, 0, active),
          combined("int16_minimum", "int16: minimum", BinaryKind::kMinimum, 0, active),
          combined("int16_prelu", "int16: prelu", BinaryKind::kPrelu, 0.001, two),
          of_one("int16_relu", "int16: relu", UnaryKind::kRelu),
          of_one("int16_leaky_relu", "int16: leaky relu", UnaryKind::kLeakyRelu),
          of_one("int16_sigmoid", "int16: sigmoid", UnaryKind::kSigmoid),
          of_one("int16_tanh", "int16: tanh", UnaryKind::kTanh),
          {"wide_quantize", "from one quantization to another, of 8, 16 and 32 bits",
           kImage + Parameters{{"types", 0, 11}, kSeed}, conversion},
          {"quantize", "from float32 to a quantization", kImage + Parameters{{"type", 0, 2}, {"any", 0, 1}, kSeed},
           quantization},
          {"dequantize", "from a quantization to float32", kImage + Parameters{{"type", 0, 2}, kSeed}, number},
          {"int16_transpose", "int16: transpose", kImage + Parameters{{"order", 0, 2}, kSeed}, transposition}};
}

}  // namespace systole::shapes
