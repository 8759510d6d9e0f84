// SPDX-License-Identifier: Apache-2.0
#include "lower_unquantized.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "attributes.hpp"
#include "element_visit.hpp"
#include "kernel_steps.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

using compiler::KernelCall;
using graph::BinaryKind;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::TensorId;

std::int64_t size_of(ElementType type) { return static_cast<std::int64_t>(graph::element_size(type)); }

bool is_real(ElementType type) {
  return graph::with_element(type, [](auto element) { return graph::kIsReal<decltype(element)>; });
}

/// Whose elements fit 32 bits with a sign.
bool is_integer(ElementType type) {
  return type == ElementType::kBool || type == ElementType::kInt8 || type == ElementType::kUint8 ||
         type == ElementType::kInt16 || type == ElementType::kUint16 || type == ElementType::kInt32;
}

/// Integers of up to 32 bits.
bool fits_word(ElementType type) { return is_integer(type) || type == ElementType::kUint32; }

bool is_unsigned(ElementType type) {
  return type == ElementType::kUint8 || type == ElementType::kUint16 || type == ElementType::kUint32;
}

/// The kernel between two floating-point types; null if there is none.
const char* conversion(ElementType from, ElementType to) {
  const auto is = [&](ElementType a, ElementType b) { return from == a && to == b; };
  return is(ElementType::kFloat32, ElementType::kFloat16)    ? "float_to_half"
         : is(ElementType::kFloat16, ElementType::kFloat32)  ? "half_to_float"
         : is(ElementType::kFloat32, ElementType::kBfloat16) ? "float_to_bfloat"
         : is(ElementType::kBfloat16, ElementType::kFloat32) ? "bfloat_to_float"
                                                             : nullptr;
}

kernel::Format format_of(ElementType type) {
  switch (size_of(type)) {
    case 1: return kernel::Format::kI8;
    case 2: return kernel::Format::kI16;
    case kWordBytes: return kernel::Format::kI32;
    default: throw Refused(fmt::format("{}; the device computes with up to 32 bits", graph::name_of(type)));
  }
}

class Lowering {
 public:
  Lowering(const Graph& graph, const Operator& op, bool plain) : steps_(graph, op), op_(op), plain_(plain) {}

  std::vector<Layer> run() {
    return steps_.finish(std::visit([&](const auto& kind) { return compute(kind); }, op_.kind));
  }

 private:
  ElementType from() const { return steps_.input(0).type; }
  ElementType to() const { return steps_.output().type; }

  Term compute(const graph::Unary& op) {
    require_floats();
    return float_function(steps_, op);
  }

  Term compute(const graph::Reduce& op) {
    require_floats();
    return float_reduction(steps_, op);
  }

  Term compute(const graph::Softmax& op) {
    require_floats();
    return float_softmax(steps_, op);
  }

  Term compute(const graph::LayerNormalize& op) {
    require_floats();
    return float_layer_norm(steps_, op);
  }

  Term compute(const graph::Pool& op) {
    require_floats();
    return float_pool(steps_, op, plain_);
  }

  Term compute(const graph::MatMul& op) { return float_product(steps_, op); }
  Term compute(const graph::Dense& op) { return float_product(steps_, op); }
  Term compute(const graph::Conv2d& op) { return float_product(steps_, op); }

  void require_floats() const { require_type(steps_.input(0), {ElementType::kFloat32}, "float32"); }

  Term compute(const graph::Binary& op) {
    require(op.activation == Activation::kNone, "an activation of elements without a scale");
    require(from() == steps_.input(1).type, "operands of two types");
    if (from() == ElementType::kBool) {
      return logic(op.kind);
    }
    return from() == ElementType::kFloat32 ? float_combination(steps_, op.kind) : integers(op.kind);
  }

  Term logic(BinaryKind kind) {
    require(kind == BinaryKind::kAnd || kind == BinaryKind::kOr || kind == BinaryKind::kXor,
            "a comparison of operands of bool");
    return apply_logic(kind, steps_.operand(0), steps_.operand(1));
  }

  Term apply_logic(BinaryKind kind, const Term& a, const Term& b) {
    const auto one_if = [](bool holds) { return std::int64_t{holds ? 1 : 0}; };
    return steps_.apply(
        {"logic", {{"both", one_if(kind == BinaryKind::kAnd)}, {"any", one_if(kind == BinaryKind::kOr)}}}, {a, b},
        ElementType::kBool);
  }

  Term integers(BinaryKind kind) {
    constexpr std::int64_t kLaneBits = 32, kByteBits = 8;
    const ElementType type = from();
    if (kind == BinaryKind::kEqual && size_of(type) == 2 * kWordBytes && !is_real(type)) {
      return equal_pairs();
    }
    const kernel::Format format = format_of(type);
    require(!is_real(type), "floating-point numbers other than float32");
    const auto apply = [&](const char* name, std::map<std::string, std::int64_t> values, ElementType result) {
      return steps_.apply({name, std::move(values), std::nullopt, {{"of_a", format}}},
                          {steps_.operand(0), steps_.operand(1)}, result);
    };
    const std::int64_t packed = (type == ElementType::kUint8 ? -128 : 0) * 32 + kLaneBits - size_of(type) * kByteBits;
    const std::int64_t flip = type == ElementType::kUint16   ? -32768
                              : type == ElementType::kUint32 ? std::int64_t{1} << 31
                                                             : 0;
    switch (kind) {
      case BinaryKind::kAdd: return apply("integer_add", {{"sign", 1}, {"packed", packed}}, type);
      case BinaryKind::kSubtract: return apply("integer_add", {{"sign", -1}, {"packed", packed}}, type);
      case BinaryKind::kMultiply: return apply("integer_multiply", {{"packed", packed}}, type);
      case BinaryKind::kMinimum: return apply("integer_minimum", {{"flip", flip}}, type);
      case BinaryKind::kMaximum: return apply("integer_maximum", {{"flip", flip}}, type);
      case BinaryKind::kEqual: return apply("integer_equal", {}, ElementType::kBool);
      case BinaryKind::kLess: return apply("integer_less", {{"flip", flip}, {"strict", 1}}, ElementType::kBool);
      case BinaryKind::kLessOrEqual: return apply("integer_less", {{"flip", flip}, {"strict", 0}}, ElementType::kBool);
      case BinaryKind::kShiftLeft:
      case BinaryKind::kShiftRight:
        require(is_unsigned(type), "a shift of integers with a sign");
        return apply("integer_shift", {{"left", kind == BinaryKind::kShiftLeft ? 1 : 0}, {"packed", packed}}, type);
      default: throw Refused(fmt::format("{} of {}", graph::name_of(kind), graph::name_of(type)));
    }
  }

  /// Elements of 64 bits are equal if both of their words are.
  Term equal_pairs() {
    const Grid pairs{steps_.grid().positions, 2 * steps_.grid().channels};
    const Term equal =
        steps_.apply({"integer_equal", {}, std::nullopt, {{"of_a", kernel::Format::kI32}}},
                     {steps_.operand(0).as_words(), steps_.operand(1).as_words()}, pairs, ElementType::kBool);
    const Term low = every_second(equal, 0), high = every_second(equal, 1);
    return apply_logic(BinaryKind::kAnd, low, high);
  }

  /// Of the elements of a tensor twice as large, those with even numbers, or those with odd ones.
  Term every_second(const Term& from, std::int64_t first) {
    compiler::ByteBox box;
    box.bytes = from.element_bytes;
    box.from = first * box.bytes;
    box.inner = steps_.grid().elements();
    box.from_inner = 2 * box.bytes;
    box.to_inner = box.bytes;
    return steps_.move("words", from, 2 * box.inner * box.bytes, MoveLayer{{{0, -1, box}}, {}}, steps_.grid(),
                       box.bytes);
  }

  /// Integers of 64 bits.
  Term convert_wide() {
    const Term words = steps_.operand(0).as_words();
    const Term low = every_second(words, 0), high = every_second(words, 1);
    if (to() == ElementType::kFloat32) {
      return steps_.apply({"wide_to_binary32", {{"sign", from() == ElementType::kInt64 ? -1 : 0}}}, {low, high});
    }
    if (to() == ElementType::kBool) {
      return negated(apply_logic(BinaryKind::kAnd, is_zero(low), is_zero(high)));
    }
    require(fits_word(to()), "a conversion of integers of 64 bits to floating-point numbers other than float32");
    return resized(low, ElementType::kInt32, to());
  }

  Term is_zero(const Term& word) {
    return steps_.apply({"integer_equal", {}, std::nullopt, {{"of_a", kernel::Format::kI32}}},
                        {word, steps_.constant(0)}, ElementType::kBool);
  }

  Term negated(const Term& condition) { return apply_logic(BinaryKind::kXor, condition, truth()); }

  /// One position of ones, which kernels repeat.
  Term truth() const {
    const auto channels = static_cast<std::size_t>(steps_.grid().channels);
    return {graph::kNoTensor, ConstantOperand{graph::Bytes(channels, 1), Grid{1, steps_.grid().channels}.image(1)}, 1};
  }

  Term compute(const graph::Select&) {
    const Term condition = steps_.operand(0, false), a = steps_.operand(1), b = steps_.operand(2);
    const std::int64_t words = size_of(to()) / kWordBytes;
    if (words <= 1) {
      return steps_.apply({"choose", {}, std::nullopt, {{"of_b", format_of(to())}}}, {condition, a, b}, to());
    }
    const Grid grid{steps_.grid().positions, steps_.grid().channels * words};
    return steps_.apply({"choose", {}, std::nullopt, {{"of_b", kernel::Format::kI32}}},
                        {repeated(condition, words, grid), a.as_words(), b.as_words()}, grid, ElementType::kInt32);
  }

  /// Each byte several times.
  Term repeated(const Term& bytes, std::int64_t times, const Grid& grid) {
    if (bytes.constant) {
      ConstantOperand constant{{}, grid.image(1)};
      for (const std::uint8_t byte : bytes.constant->bytes) {
        constant.bytes.insert(constant.bytes.end(), static_cast<std::size_t>(times), byte);
      }
      return {graph::kNoTensor, std::move(constant), 1};
    }
    MoveLayer moves;
    for (std::int64_t i = 0; i < times; ++i) {
      compiler::ByteBox box;
      box.to = i;
      box.inner = steps_.grid().elements();
      box.from_inner = 1;
      box.to_inner = times;
      moves.parts.push_back({0, -1, box});
    }
    return steps_.move("words", bytes, steps_.grid().elements(), std::move(moves), grid, 1);
  }

  Term compute(const graph::Convert&) {
    if (from() == ElementType::kInt64 || from() == ElementType::kUint64) {
      return convert_wide();
    }
    const Term x = steps_.operand(0);
    if (is_integer(from()) && to() == ElementType::kFloat32) {
      const bool fits = from() != ElementType::kUint8 && from() != ElementType::kUint16;
      return steps_.apply({"to_binary32", {}, std::nullopt, {{"of_a", format_of(fits ? from() : ElementType::kInt32)}}},
                          {fits ? x : resized(x, from(), ElementType::kInt32)});
    }
    if (from() == ElementType::kFloat32 && to() == ElementType::kInt32) {
      return steps_.apply({"float_truncate"}, {x}, to());
    }
    if (const char* kernel = conversion(from(), to())) {
      return steps_.apply({kernel}, {x}, to());
    }
    if (fits_word(from()) && to() == ElementType::kBool) {
      return negated(is_zero(resized(x, from(), ElementType::kInt32)));
    }
    if (fits_word(from()) && fits_word(to())) {
      return resized(x, from(), to());
    }
    throw Refused(fmt::format("a conversion from {} to {}", graph::name_of(from()), graph::name_of(to())));
  }

  /// Integers as others, of which they keep the lower bits.
  Term resized(const Term& x, ElementType from, ElementType to) {
    constexpr std::int64_t kStored = 128, kByteBits = 8;  // uint8 is stored as the int8 that is kStored less
    return steps_.apply({"resize_integer",
                         {{"before", from == ElementType::kUint8 ? kStored : 0},
                          {"mask", from == ElementType::kUint16 ? 0xFFFF : -1},
                          {"after", to == ElementType::kUint8 ? -kStored : 0},
                          {"shift", (kWordBytes - size_of(to)) * kByteBits}},
                         std::nullopt,
                         {{"of_a", format_of(from)}, {"of_to", format_of(to)}}},
                        {x}, to);
  }

  template <class Other>
  Term compute(const Other&) {
    throw Refused(fmt::format("the device has no {} of elements without a scale", graph::name_of(op_.kind)));
  }

  KernelSteps steps_;
  const Operator& op_;
  const bool plain_;
};

template <class... Kinds>
bool is_one_of(const graph::OperatorKind& kind) {
  return (std::holds_alternative<Kinds>(kind) || ...);
}

bool is_float_product(const Graph& graph, const Operator& op) {
  return is_one_of<graph::MatMul, graph::Dense, graph::Conv2d>(op.kind) &&
         graph.tensor(op.inputs[0]).type == ElementType::kFloat32;
}

}  // namespace

bool is_unquantized(const Graph& graph, const Operator& op) {
  if (op.arithmetic != graph::Arithmetic::kOnnx) {
    return false;
  }
  if (!is_float_product(graph, op) &&
      !is_one_of<graph::Unary, graph::Binary, graph::Select, graph::Convert, graph::Reduce, graph::Softmax,
                 graph::LayerNormalize, graph::Pool>(op.kind)) {
    return false;
  }
  bool bytes = true;
  for (const auto& ids : {op.inputs, op.outputs}) {
    for (const TensorId id : ids) {
      const graph::Tensor& tensor = graph.tensor(id);
      if (tensor.quantization) {
        return false;
      }
      bytes = bytes && size_of(tensor.type) == 1;
    }
  }
  if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
    const bool arithmetic = binary->kind == BinaryKind::kAdd || binary->kind == BinaryKind::kSubtract ||
                            binary->kind == BinaryKind::kMultiply || binary->kind == BinaryKind::kShiftLeft ||
                            binary->kind == BinaryKind::kShiftRight;
    return !bytes || arithmetic || graph.tensor(op.inputs[0]).type == ElementType::kBool;
  }
  return !bytes;
}

std::vector<Layer> lower_unquantized(const Graph& graph, const Operator& op, bool plain) {
  require(std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return !graph.tensor(id).constant; }),
          "only constant operands");
  return Lowering(graph, op, plain).run();
}

}  // namespace systole::network
