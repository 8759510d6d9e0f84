// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of several tensors, any of them broadcast along any axes or constant, of int8 or uint8.
#include <algorithm>
#include <array>
#include <utility>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::TensorId;

/// Bit i: axis i has length 1.
graph::Shape shape_of(const Spec& spec, const char* broadcast) {
  graph::Shape shape = image_of(spec);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if ((static_cast<unsigned>(spec.at(broadcast)) >> axis & 1) != 0) {
      shape[axis] = 1;
    }
  }
  return shape;
}

ElementType type_of(const Spec& spec) { return spec.at("unsigned") != 0 ? ElementType::kUint8 : ElementType::kInt8; }

constexpr std::array<const char*, 3> kBroadcast = {"broadcast_a", "broadcast_b", "broadcast_c"};

/// Operand number `number`, with the quantization of `like` unless that is none.
TensorId operand(OneOperator& one, const Spec& spec, int number, TensorId like = graph::kNoTensor) {
  const graph::Shape shape = shape_of(spec, kBroadcast[static_cast<std::size_t>(number)]);
  if (spec.at("constant") == number + 1) {
    const TensorId id = one.asymmetric_weights(shape, false, type_of(spec));
    return like == graph::kNoTensor ? id : one.requantized(id, like);
  }
  return like == graph::kNoTensor ? one.input(shape, 0.05F, type_of(spec)) : one.input_like(like, shape);
}

/// Operands with scales of their own. A `fine` result has a scale so small that products are shifted to the left.
graph::Graph combination(const Spec& spec, BinaryKind kind, double scale, double fine) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const auto activation =
      spec.values.count("activation") != 0 ? static_cast<Activation>(spec.at("activation")) : Activation::kNone;
  const TensorId a = operand(one, spec, 0), b = operand(one, spec, 1);
  return one.finish(graph::Binary{kind, activation}, {a, b},
                    one.output({}, spec.values.count("fine") != 0 && spec.at("fine") != 0 ? fine : scale,
                               graph::kNoTensor, type_of(spec)));
}

graph::Graph comparison(const Spec& spec, BinaryKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId a = operand(one, spec, 0);
  const TensorId b = operand(one, spec, 1, spec.at("same_scale") != 0 ? a : graph::kNoTensor);
  return one.finish(graph::Binary{kind}, {a, b}, one.plain(graph::ElementType::kBool));
}

graph::Graph extreme(const Spec& spec, BinaryKind kind) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId a = operand(one, spec, 0), b = operand(one, spec, 1, a);
  return one.finish(graph::Binary{kind}, {a, b}, one.output({}, 0, a));
}

graph::Graph selection(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const TensorId condition = one.truth_input(shape_of(spec, "broadcast_c"));
  const TensorId a = operand(one, spec, 0), b = operand(one, spec, 1, a);
  return one.finish(graph::Select{}, {condition, a, b}, one.output({}, 0, a));
}

/// Several kernels one after the other, whose operands stay in the scratchpad where they fit.
graph::Graph chain(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const graph::Shape image = image_of(spec);
  const TensorId input = one.input(image), limit = one.input({1, 1, 1, image[3]});
  const TensorId slopes = one.constant({image[3]});
  const TensorId first = one.apply(graph::Unary{graph::UnaryKind::kHardSwish, 0, 0}, {input}, one.output({}, 0.05));
  const TensorId second = one.apply(graph::Binary{BinaryKind::kPrelu}, {first, slopes}, one.output({}, 0.1));
  const TensorId third = one.apply(graph::Binary{BinaryKind::kSquaredDifference}, {first, second}, one.output({}, 0.1));
  const TensorId condition =
      one.apply(graph::Binary{BinaryKind::kLess}, {limit, third}, one.plain(graph::ElementType::kBool));
  const TensorId other = one.apply(graph::Binary{BinaryKind::kMaximum}, {third, one.constant_like(third, {image[3]})},
                                   one.output({}, 0, third));
  return one.finish(graph::Select{}, {condition, third, other}, one.output({}, 0, third));
}

graph::Graph gather(const Spec& spec) {
  OneOperator one(static_cast<std::uint64_t>(spec.at("seed")));
  const int axis = spec.at("axis"), count = spec.at("indices");
  const graph::Shape shape = image_of(spec);
  const int size = static_cast<int>(shape[static_cast<std::size_t>(axis)]);
  const TensorId input = one.input(shape);
  const TensorId indices = one.indices(count, size, spec.at("repeated") != 0);
  return one.finish(graph::Gather{axis}, {input, indices}, one.output({}, 0, input));
}

}  // namespace

std::vector<Kind> elementwise_kinds() {
  const Parameters two =
      kImage +
      Parameters{{"broadcast_a", 0, 15}, {"broadcast_b", 0, 15}, {"constant", 0, 2}, {"unsigned", 0, 1}, kSeed};
  const Parameters active = two + Parameters{kActivation};
  const Parameters scaled = two + Parameters{{"fine", 0, 1}};
  const auto combined = [](const char* name, const char* title, BinaryKind kind, double scale,
                           const Parameters& parameters, double fine = 0) {
    return Kind{name, title, parameters, [=](const Spec& spec) { return combination(spec, kind, scale, fine); }};
  };
  const auto compared = [&](const char* name, const char* title, BinaryKind kind) {
    return Kind{name, title, two + Parameters{{"same_scale", 0, 1}},
                [=](const Spec& spec) { return comparison(spec, kind); }};
  };
  const auto extremes = [&](const char* name, const char* title, BinaryKind kind) {
    return Kind{name, title, two, [=](const Spec& spec) { return extreme(spec, kind); }};
  };
  return {combined("add_broadcast", "add, operands broadcast", BinaryKind::kAdd, 0.07, active),
          combined("subtract_broadcast", "subtract, operands broadcast", BinaryKind::kSubtract, 0.07, active),
          combined("multiply_broadcast", "multiply, operands broadcast", BinaryKind::kMultiply, 0.15, active),
          combined("squared_difference", "squared difference", BinaryKind::kSquaredDifference, 0.3, scaled, 1e-7),
          combined("prelu", "prelu", BinaryKind::kPrelu, 0.1, scaled, 2e-4),
          extremes("maximum", "maximum", BinaryKind::kMaximum),
          extremes("minimum", "minimum", BinaryKind::kMinimum),
          compared("equal", "equal", BinaryKind::kEqual),
          compared("less", "less", BinaryKind::kLess),
          compared("less_or_equal", "less or equal", BinaryKind::kLessOrEqual),
          {"select", "select", two + Parameters{{"broadcast_c", 0, 15}}, selection},
          {"elementwise_chain", "prelu, squared difference, less, maximum and select in a row",
           kImage + Parameters{kSeed}, chain},
          {"gather", "gather by constant indices",
           kImage + Parameters{{"axis", 0, 3}, {"indices", 1, 20}, {"repeated", 0, 1}, kSeed}, gather}};
}

}  // namespace systole::shapes
