// SPDX-License-Identifier: Apache-2.0
// Operators on elements without a scale: float32, integers, bool, in ONNX's arithmetic.
#include <array>
#include <limits>
#include <utility>

#include "one_operator.hpp"
#include "random_parameters.hpp"

namespace systole::shapes {
namespace {

using graph::BinaryKind;
using graph::ElementType;
using graph::TensorId;
using graph::UnaryKind;

constexpr auto kFloat = ElementType::kFloat32;

OneOperator builder_of(const Spec& spec) {
  return OneOperator(static_cast<std::uint64_t>(spec.at("seed")), graph::Arithmetic::kOnnx);
}

/// The image with the axes of length 1 that the parameter has bits for.
graph::Shape shape_of(const Spec& spec, const char* broadcast) {
  graph::Shape shape = image_of(spec);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if ((static_cast<unsigned>(spec.at(broadcast)) >> axis & 1) != 0) {
      shape[axis] = 1;
    }
  }
  return shape;
}

/// Operand number `number`, which may be constant.
TensorId operand(OneOperator& one, const Spec& spec, int number, ElementType type, const char* broadcast) {
  const graph::Shape shape = shape_of(spec, broadcast);
  return spec.at("constant") == number + 1 ? one.plain_constant(type, shape) : one.plain_input(type, shape);
}

constexpr std::array kFunctions = {
    UnaryKind::kRelu,     UnaryKind::kRelu6,       UnaryKind::kClip,           UnaryKind::kLeakyRelu,
    UnaryKind::kElu,      UnaryKind::kHardSigmoid, UnaryKind::kSigmoid,        UnaryKind::kTanh,
    UnaryKind::kSoftplus, UnaryKind::kAbs,         UnaryKind::kNegate,         UnaryKind::kExp,
    UnaryKind::kLog,      UnaryKind::kSqrt,        UnaryKind::kReciprocal,     UnaryKind::kFloor,
    UnaryKind::kCeil,     UnaryKind::kRound,       UnaryKind::kSign,           UnaryKind::kHardSwish,
    UnaryKind::kIsNan,    UnaryKind::kIsInfinite,  UnaryKind::kReciprocalSqrt, UnaryKind::kErf,
    UnaryKind::kGelu};

graph::Graph function(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const UnaryKind kind = kFunctions[static_cast<std::size_t>(spec.at("function"))];
  const bool test = kind == UnaryKind::kIsNan || kind == UnaryKind::kIsInfinite;
  const auto alpha = static_cast<float>(test ? one.within(0, 1) : one.between(-2, 1));
  const auto beta = static_cast<float>(test ? one.within(0, 1) : one.between(1, 3));
  return one.finish(graph::Unary{kind, alpha, beta}, {one.plain_input(kFloat, image_of(spec))},
                    one.plain(test ? ElementType::kBool : kFloat));
}

bool is_comparison(BinaryKind kind) {
  return kind == BinaryKind::kEqual || kind == BinaryKind::kLess || kind == BinaryKind::kLessOrEqual;
}

constexpr std::array kOfFloats = {
    BinaryKind::kAdd,         BinaryKind::kSubtract,          BinaryKind::kMultiply, BinaryKind::kDivide,
    BinaryKind::kMinimum,     BinaryKind::kMaximum,           BinaryKind::kEqual,    BinaryKind::kLess,
    BinaryKind::kLessOrEqual, BinaryKind::kSquaredDifference, BinaryKind::kPower};

graph::Graph combination(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const BinaryKind kind = kOfFloats[static_cast<std::size_t>(spec.at("combination"))];
  const TensorId a = operand(one, spec, kind == BinaryKind::kPower ? 2 : 0, kFloat, "broadcast_a");
  const TensorId b = kind == BinaryKind::kPower ? one.plain_number(kFloat, one.within(2, 3))
                                                : operand(one, spec, 1, kFloat, "broadcast_b");
  return one.finish(graph::Binary{kind}, {a, b}, one.plain(is_comparison(kind) ? ElementType::kBool : kFloat));
}

constexpr std::array kOfIntegers = {BinaryKind::kAdd,     BinaryKind::kSubtract,   BinaryKind::kMultiply,
                                    BinaryKind::kMinimum, BinaryKind::kMaximum,    BinaryKind::kEqual,
                                    BinaryKind::kLess,    BinaryKind::kLessOrEqual};
constexpr std::array kIntegers = {ElementType::kInt16,  ElementType::kUint16, ElementType::kInt32,
                                  ElementType::kUint32, ElementType::kInt8,   ElementType::kUint8};

graph::Graph of_integers(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const ElementType type = kIntegers[static_cast<std::size_t>(spec.at("type"))];
  const bool bytes = graph::element_size(type) == 1;  // of which others have kinds of their own
  const BinaryKind kind = kOfIntegers[static_cast<std::size_t>(spec.at("combination")) % (bytes ? 3 : 8)];
  const TensorId a = operand(one, spec, 0, type, "broadcast_a"), b = operand(one, spec, 1, type, "broadcast_b");
  return one.finish(graph::Binary{kind}, {a, b}, one.plain(is_comparison(kind) ? ElementType::kBool : type));
}

graph::Graph shift(const Spec& spec) {
  OneOperator one = builder_of(spec);
  constexpr std::array kUnsigned = {ElementType::kUint8, ElementType::kUint16, ElementType::kUint32};
  const ElementType type = kUnsigned[static_cast<std::size_t>(spec.at("type"))];
  const TensorId a = operand(one, spec, 0, type, "broadcast_a");
  TensorId b = one.plain_input(type, shape_of(spec, "broadcast_b"));
  if (spec.at("few") != 0) {  // bits to shift by; others leave nothing
    const int bits = static_cast<int>(graph::element_size(type)) * 8;
    b = one.apply(graph::Binary{BinaryKind::kShiftRight}, {b, one.plain_number(type, bits - 5)}, one.plain(type));
  }
  const BinaryKind kind = spec.at("left") != 0 ? BinaryKind::kShiftLeft : BinaryKind::kShiftRight;
  return one.finish(graph::Binary{kind}, {a, b}, one.plain(type));
}

graph::Graph equality_of_longs(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const TensorId a = operand(one, spec, 0, ElementType::kInt64, "broadcast_a");
  const TensorId b =
      spec.at("same") != 0 && spec.at("constant") != 1 ? a : operand(one, spec, 1, ElementType::kInt64, "broadcast_b");
  return one.finish(graph::Binary{BinaryKind::kEqual}, {a, b}, one.plain(ElementType::kBool));
}

graph::Graph logic(const Spec& spec) {
  OneOperator one = builder_of(spec);
  constexpr std::array kLogic = {BinaryKind::kAnd, BinaryKind::kOr, BinaryKind::kXor};
  const TensorId a = operand(one, spec, 0, ElementType::kBool, "broadcast_a");
  const TensorId b = operand(one, spec, 1, ElementType::kBool, "broadcast_b");
  return one.finish(graph::Binary{kLogic[static_cast<std::size_t>(spec.at("combination"))]}, {a, b},
                    one.plain(ElementType::kBool));
}

constexpr std::array kAny = {kFloat,
                             ElementType::kInt64,
                             ElementType::kFloat16,
                             ElementType::kInt32,
                             ElementType::kFloat64,
                             ElementType::kBool,
                             ElementType::kUint16};

graph::Graph selection(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const ElementType type = kAny[static_cast<std::size_t>(spec.at("type"))];
  const TensorId condition = operand(one, spec, 2, ElementType::kBool, "broadcast_c");
  const TensorId a = operand(one, spec, 0, type, "broadcast_a"), b = operand(one, spec, 1, type, "broadcast_b");
  return one.finish(graph::Select{}, {condition, a, b}, one.plain(type));
}

/// The conversions that the device has.
std::vector<std::pair<ElementType, ElementType>> conversions() {
  std::vector<std::pair<ElementType, ElementType>> pairs = {
      {kFloat, ElementType::kInt32},    {kFloat, ElementType::kFloat16},  {ElementType::kFloat16, kFloat},
      {kFloat, ElementType::kBfloat16}, {ElementType::kBfloat16, kFloat}, {ElementType::kUint64, kFloat}};
  for (const ElementType from :
       {ElementType::kBool, ElementType::kInt8, ElementType::kUint8, ElementType::kInt16, ElementType::kUint16,
        ElementType::kInt32, ElementType::kUint32, ElementType::kInt64}) {
    for (const ElementType to : {ElementType::kBool, ElementType::kInt8, ElementType::kUint8, ElementType::kInt16,
                                 ElementType::kUint16, ElementType::kInt32, ElementType::kUint32, kFloat}) {
      const bool bytes = graph::element_size(from) == 1 && graph::element_size(to) == 1;
      if (from != to && !bytes && (from != ElementType::kUint32 || to != kFloat)) {
        pairs.emplace_back(from, to);
      }
    }
  }
  return pairs;
}

graph::Graph conversion(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const auto [from, to] = conversions()[static_cast<std::size_t>(spec.at("types"))];
  return one.finish(graph::Convert{}, {one.plain_input(from, image_of(spec))}, one.plain(to));
}

std::vector<int> axes_of(const Spec& spec) {
  std::vector<int> axes;
  for (int axis = 0; axis < 4; ++axis) {
    if ((spec.at("axes") >> axis & 1) != 0) {
      axes.push_back(axis);
    }
  }
  return axes;
}

graph::Graph reduction(const Spec& spec) {
  OneOperator one = builder_of(spec);
  return one.finish(graph::Reduce{static_cast<graph::ReduceKind>(spec.at("kind")), axes_of(spec), true},
                    {one.plain_input(kFloat, image_of(spec))}, one.plain(kFloat));
}

graph::Graph pool(const Spec& spec, graph::PoolKind kind) {
  OneOperator one = builder_of(spec);
  const bool count_padding = kind == graph::PoolKind::kAverage && spec.at("count_padding") != 0;
  return one.finish(graph::Pool{kind, sliding_of(spec), count_padding, Activation::kNone},
                    {one.plain_input(kFloat, image_of(spec))}, one.plain(kFloat));
}

/// Input or constant number `number`.
TensorId factor(OneOperator& one, const Spec& spec, int number, const graph::Shape& shape) {
  return spec.at("constant") == number + 1 ? one.plain_constant(kFloat, shape) : one.plain_input(kFloat, shape);
}

std::vector<TensorId> with_bias(OneOperator& one, const Spec& spec, std::vector<TensorId> inputs, int columns) {
  if (spec.at("bias") != 0) {
    inputs.push_back(one.plain_constant(kFloat, {columns}));
  }
  return inputs;
}

graph::Graph product(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const auto [a, b] = shapes_of_product(spec);
  const graph::MatMul kind{spec.at("transpose_a") != 0, spec.at("transpose_b") != 0};
  return one.finish(kind, with_bias(one, spec, {factor(one, spec, 0, a), factor(one, spec, 1, b)}, spec.at("columns")),
                    one.plain(kFloat));
}

graph::Graph dense(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const int depth = spec.at("depth"), columns = spec.at("columns");
  const TensorId input = factor(one, spec, 0, {2, spec.at("rows"), depth});
  return one.finish(graph::Dense{}, with_bias(one, spec, {input, factor(one, spec, 1, {columns, depth})}, columns),
                    one.plain(kFloat));
}

graph::Graph convolution(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const Window window = sliding_of(spec);
  const int outputs = spec.at("outputs");
  const TensorId input = one.plain_input(kFloat, image_of(spec));
  const TensorId weights = factor(one, spec, 1, {outputs, window.kernel_h, window.kernel_w, spec.at("channels")});
  return one.finish(graph::Conv2d{window, 1, Activation::kNone}, with_bias(one, spec, {input, weights}, outputs),
                    one.plain(kFloat));
}

graph::Graph softmax(const Spec& spec) {
  OneOperator one = builder_of(spec);
  return one.finish(graph::Softmax{spec.at("axis"), 1, spec.at("logarithm") != 0},
                    {one.plain_input(kFloat, image_of(spec))}, one.plain(kFloat));
}

graph::Graph layer_norm(const Spec& spec) {
  OneOperator one = builder_of(spec);
  constexpr int kBoth = 3;
  const auto parameter = [&](int number) {
    const graph::Shape shape = {spec.at("channels")};
    return spec.at("constant") == kBoth ? one.plain_constant(kFloat, shape) : factor(one, spec, number, shape);
  };
  const TensorId x = one.plain_input(kFloat, image_of(spec));
  const float epsilon = spec.at("epsilon") == 0 ? 1e-12F : 1e-5F;
  return one.finish(graph::LayerNormalize{epsilon}, {x, parameter(0), parameter(1)}, one.plain(kFloat));
}

graph::Graph local_response(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const graph::LocalResponse response{spec.at("before"), spec.at("after"), 0.3F, spec.at("bias") != 0 ? 1.0F : 0.0F,
                                      static_cast<float>(spec.at("power")) / 4};
  return one.finish(response, {one.plain_input(kFloat, image_of(spec))}, one.plain(kFloat));
}

graph::Graph extreme(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const auto type = spec.at("long") != 0 ? ElementType::kInt64 : ElementType::kInt32;
  return one.finish(graph::ArgExtreme{spec.at("largest") != 0, spec.at("axis"), true, spec.at("last") != 0},
                    {one.plain_input(kFloat, image_of(spec))}, one.plain(type));
}

graph::Graph movement(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const ElementType type = kAny[static_cast<std::size_t>(spec.at("type"))];
  const graph::Shape image = image_of(spec);
  const TensorId input = one.plain_input(type, image);
  switch (spec.at("movement")) {
    case 0: return one.finish(graph::Transpose{{0, 3, 1, 2}}, {input}, one.plain(type));
    case 1: return one.finish(graph::Concat{2}, {input, one.plain_constant(type, image)}, one.plain(type));
    case 2: {
      const double value = type == ElementType::kBool ? 1 : 3;
      return one.finish(graph::Pad{{0, 1, 2, 0}, {0, 2, 0, 1}, graph::Pad::Mode::kConstant, value}, {input},
                        one.plain(type));
    }
    case 3: {
      const int size = static_cast<int>(image[2]);
      return one.finish(graph::Gather{2}, {input, one.indices(5, size, false)}, one.plain(type));
    }
    default: return one.finish(graph::Reshape{}, {input}, one.shaped(type, {graph::count(image)}));
  }
}

/// Computed numbers below `size`.
TensorId places(OneOperator& one, const Spec& spec, std::int64_t size) {
  const auto type = spec.at("long") != 0 ? ElementType::kInt64 : ElementType::kInt32;
  return one.apply(graph::ArgExtreme{true, 1, false}, {one.plain_input(kFloat, {spec.at("indices"), size})},
                   one.plain(type));
}

graph::Graph gather(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const ElementType type = kAny[static_cast<std::size_t>(spec.at("type"))];
  const graph::Shape shape{spec.at("planes"), spec.at("rows"), spec.at("columns")};
  const bool constant = spec.at("constant") != 0;
  const int axis = constant ? 0 : spec.at("axis");
  const TensorId data = constant ? one.plain_constant(type, shape) : one.plain_input(type, shape);
  return one.finish(graph::Gather{axis}, {data, places(one, spec, shape[static_cast<std::size_t>(axis)])},
                    one.plain(type));
}

constexpr std::array kScattered = {kFloat, ElementType::kInt32, ElementType::kUint32};

graph::Graph scatter(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const ElementType type = kScattered[static_cast<std::size_t>(spec.at("type"))];
  const int combine = spec.at("combine") % (type == ElementType::kUint32 ? 3 : 5);
  const graph::Shape all{spec.at("rows"), spec.at("columns")}, some{spec.at("indices"), spec.at("columns")};
  const auto operand = [&](int number, const graph::Shape& shape) {
    return spec.at("constant") == number ? one.plain_constant(type, shape) : one.plain_input(type, shape);
  };
  const TensorId data = operand(1, all), indices = places(one, spec, all[0]);
  return one.finish(graph::Scatter{static_cast<graph::ScatterCombine>(combine)}, {data, indices, operand(2, some)},
                    one.plain(type));
}

/// Several operators in a row, whose operands stay in the scratchpad where they fit.
graph::Graph chain(const Spec& spec) {
  OneOperator one = builder_of(spec);
  const graph::Shape image = image_of(spec);
  const TensorId x = one.plain_input(kFloat, image);
  const TensorId scaled =
      one.apply(graph::Binary{BinaryKind::kMultiply}, {x, one.plain_constant(kFloat, {image[3]})}, one.plain(kFloat));
  const TensorId mean = one.apply(graph::Reduce{graph::ReduceKind::kMean, {3}, true}, {scaled}, one.plain(kFloat));
  const TensorId centered = one.apply(graph::Binary{BinaryKind::kSubtract}, {scaled, mean}, one.plain(kFloat));
  const TensorId squares = one.apply(graph::Binary{BinaryKind::kMultiply}, {centered, centered}, one.plain(kFloat));
  const TensorId variance = one.apply(graph::Reduce{graph::ReduceKind::kMean, {3}, true}, {squares}, one.plain(kFloat));
  const TensorId root = one.apply(graph::Unary{UnaryKind::kSqrt}, {variance}, one.plain(kFloat));
  const TensorId below = one.apply(graph::Binary{BinaryKind::kLess}, {centered, root}, one.plain(ElementType::kBool));
  const TensorId normal = one.apply(graph::Binary{BinaryKind::kDivide}, {centered, root}, one.plain(kFloat));
  return one.finish(graph::Select{}, {below, normal, x}, one.plain(kFloat));
}

}  // namespace

std::vector<Kind> unquantized_kinds() {
  const Parameters image = {{"batch", 1, 2}, {"height", 1, 9}, {"width", 1, 9}, {"channels", 1, 24}, kSeed};
  const Parameters two = image + Parameters{{"broadcast_a", 0, 15}, {"broadcast_b", 0, 15}, {"constant", 0, 2}};
  const auto last = [](const auto& list) { return static_cast<int>(list.size()) - 1; };
  return {
      {"float_function", "float32: functions", image + Parameters{{"function", 0, last(kFunctions)}}, function},
      {"float_combination", "float32: arithmetic and comparisons",
       two + Parameters{{"combination", 0, last(kOfFloats)}}, combination},
      {"float_reduction", "float32: sum, mean, greatest, least, product along any axes",
       image + Parameters{{"axes", 1, 15}, {"kind", 0, 4}}, reduction},
      {"float_max_pool", "float32: max pool", image + kWindow + kBorder + kDilation,
       [](const Spec& spec) { return pool(spec, graph::PoolKind::kMax); }, true},
      {"float_average_pool", "float32: average pool", image + kWindow + kBorder + Parameters{{"count_padding", 0, 1}},
       [](const Spec& spec) { return pool(spec, graph::PoolKind::kAverage); }, true},
      {"float_product", "float32: matrix product", kProduct + Parameters{{"constant", 0, 2}, {"bias", 0, 1}, kSeed},
       product, true},
      {"float_dense", "float32: fully connected",
       Parameters{{"rows", 1, 20}, {"depth", 1, 70}, {"columns", 1, 40}, {"constant", 0, 2}, {"bias", 0, 1}, kSeed},
       dense},
      {"float_conv2d", "float32: convolution",
       Parameters{{"batch", 1, 2}, {"height", 1, 7}, {"width", 1, 7}, {"channels", 1, 9}, {"outputs", 1, 9}} + kWindow +
           kBorder + kDilation + Parameters{{"constant", 1, 2}, {"bias", 0, 1}, kSeed},
       convolution, true},
      {"float_softmax", "float32: softmax and its logarithm", image + Parameters{{"axis", 0, 3}, {"logarithm", 0, 1}},
       softmax},
      {"float_layer_norm", "float32: layer normalization",
       Parameters{{"batch", 1, 2}, {"height", 1, 4}, {"width", 1, 9}, {"channels", 1, 140}} +
           Parameters{{"constant", 0, 3}, {"epsilon", 0, 1}, kSeed},
       layer_norm, true},
      {"float_local_response", "float32: local response normalization",
       Parameters{{"batch", 1, 2}, {"height", 1, 4}, {"width", 1, 9}, {"channels", 1, 140}} +
           Parameters{{"before", 0, 3}, {"after", 0, 4}, {"power", 1, 5}, {"bias", 0, 1}, kSeed},
       local_response},
      {"float_extreme", "float32: index of the greatest or least",
       image + Parameters{{"axis", 0, 3}, {"largest", 0, 1}, {"last", 0, 1}, {"long", 0, 1}}, extreme},
      {"float_chain", "float32: normalization, comparison and select in a row", image, chain},
      {"integer_combination", "integers: arithmetic and comparisons",
       two + Parameters{{"combination", 0, last(kOfIntegers)}, {"type", 0, last(kIntegers)}}, of_integers},
      {"integer_shift", "integers without a sign: shift",
       two + Parameters{{"left", 0, 1}, {"few", 0, 1}, {"type", 0, 2}}, shift},
      {"long_equal", "integers of 64 bits: equal", two + Parameters{{"same", 0, 1}}, equality_of_longs},
      {"logic", "bool: and, or, exclusive or", two + Parameters{{"combination", 0, 2}}, logic},
      {"any_select", "elements of any width: select",
       image + Parameters{{"broadcast_a", 0, 15},
                          {"broadcast_b", 0, 15},
                          {"broadcast_c", 0, 15},
                          {"constant", 0, 3},
                          {"type", 0, last(kAny)}},
       selection},
      {"plain_convert", "from one type to another, without a scale",
       image + Parameters{{"types", 0, last(conversions())}}, conversion},
      {"any_movement", "elements of any width: transpose, concat, pad, gather, reshape",
       image + Parameters{{"movement", 0, 4}, {"type", 0, last(kAny)}}, movement},
      {"computed_gather", "elements of any width: gather by computed indices",
       Parameters{{"planes", 1, 9},
                  {"rows", 1, 40},
                  {"columns", 1, 9},
                  {"indices", 1, 40},
                  {"axis", 0, 2},
                  {"constant", 0, 1},
                  {"long", 0, 1},
                  {"type", 0, last(kAny)},
                  kSeed},
       gather},
      {"computed_scatter", "float32, integers of 32 bits: scatter by computed indices",
       Parameters{{"rows", 1, 40},
                  {"columns", 1, 70},
                  {"indices", 1, 40},
                  {"combine", 0, 4},
                  {"constant", 0, 2},
                  {"long", 0, 1},
                  {"type", 0, last(kScattered)},
                  kSeed},
       scatter}};
}

}  // namespace systole::shapes
