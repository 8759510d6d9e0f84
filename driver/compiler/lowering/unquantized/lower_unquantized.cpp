// SPDX-License-Identifier: Apache-2.0
#include "lower_unquantized.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "attributes.hpp"
#include "element_formulas.hpp"
#include "element_visit.hpp"
#include "functions/number_formats.hpp"
#include "functions/rounding.hpp"
#include "integer_elements.hpp"
#include "integer_formulas.hpp"
#include "kernel_steps.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"

namespace systole::network {
namespace {

namespace functions = golden::functions;

using F = compiler::FloatWord;
using I = compiler::IntWord;
using graph::BinaryKind;
using graph::ElementType;
using graph::Graph;
using graph::Operator;
using graph::TensorId;
using kernel::Format;

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

Format format_of(ElementType type) {
  switch (size_of(type)) {
    case 1: return Format::kI8;
    case 2: return Format::kI16;
    case kWordBytes: return Format::kI32;
    default: throw Refused(fmt::format("{}; the device computes with up to 32 bits", graph::name_of(type)));
  }
}

I combined_truths(BinaryKind kind, const I& a, const I& b) {
  const I a_false = equal(a, 0), b_false = equal(b, 0);
  switch (kind) {
    case BinaryKind::kAnd: return (a_false | b_false) + 1;
    case BinaryKind::kOr: return (a_false & b_false) + 1;
    default: return as_bool(a_false ^ b_false);
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

  Term compute(const graph::Unary&) {
    require_floats();
    return float_elements(steps_);
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
    return from() == ElementType::kFloat32 ? float_elements(steps_) : integers(op.kind);
  }

  Term logic(BinaryKind kind) {
    require(kind == BinaryKind::kAnd || kind == BinaryKind::kOr || kind == BinaryKind::kXor,
            "a comparison of operands of bool");
    return apply_logic(kind, steps_.operand(0), steps_.operand(1));
  }

  Term apply_logic(BinaryKind kind, const Term& a, const Term& b) {
    return apply(graph::name_of(kind), {Format::kI8, Format::kI8}, combined_truths(kind, integer(0), integer(1)),
                 {a, b}, ElementType::kBool);
  }

  /// An element-wise step on the result's grid.
  Term apply(const char* name, std::vector<Format> operands, const I& value, const std::vector<Term>& terms,
             ElementType to) {
    return steps_.apply(compiler::element_call({name, std::move(operands), format_of(to), value.word}), terms, to);
  }

  Term integers(BinaryKind kind) {
    const ElementType type = from();
    if (kind == BinaryKind::kEqual && size_of(type) == 2 * kWordBytes && !is_real(type)) {
      return equal_pairs();
    }
    const Format format = format_of(type);
    require(!is_real(type), "floating-point numbers other than float32");
    const std::optional<I> value = integer_formula(kind, type, integer(0), integer(1));
    if (!value) {
      throw Refused(fmt::format("{} of {}", graph::name_of(kind), graph::name_of(type)));
    }
    const bool compares = is_comparison(op_);
    return apply(graph::name_of(kind), {format, format}, compares ? as_bool(*value) : *value,
                 {steps_.operand(0), steps_.operand(1)}, compares ? ElementType::kBool : type);
  }

  /// Elements of 64 bits are equal if both of their words are.
  Term equal_pairs() {
    const Grid pairs{steps_.grid().positions, 2 * steps_.grid().channels};
    const I same = as_bool(equal(integer(0), integer(1)));
    const Term equal =
        steps_.apply(compiler::element_call({"equal", {Format::kI32, Format::kI32}, Format::kI8, same.word}),
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
      const I sign = from() == ElementType::kInt64 ? -1 : 0;
      return apply("convert", {Format::kI32, Format::kI32}, as_int(functions::of_wide<F>(integer(0), integer(1), sign)),
                   {low, high}, to());
    }
    if (to() == ElementType::kBool) {
      return negated(apply_logic(BinaryKind::kAnd, is_zero(low), is_zero(high)));
    }
    require(fits_word(to()), "a conversion of integers of 64 bits to floating-point numbers other than float32");
    return resized(low, ElementType::kInt32, to());
  }

  Term is_zero(const Term& word) {
    return apply("is_zero", {Format::kI32}, as_bool(equal(integer(0), 0)), {word}, ElementType::kBool);
  }

  Term negated(const Term& condition) {
    return apply("not", {Format::kI8}, as_bool(equal(integer(0), 0)), {condition}, ElementType::kBool);
  }

  Term compute(const graph::Select&) {
    const Term condition = steps_.operand(0, false), a = steps_.operand(1), b = steps_.operand(2);
    const std::int64_t words = size_of(to()) / kWordBytes;
    const Format format = words <= 1 ? format_of(to()) : Format::kI32;
    const I chosen = functions::select(equal(integer(0), 0), integer(2), integer(1));
    const auto call = compiler::element_call({"select", {Format::kI8, format, format}, format, chosen.word});
    if (words <= 1) {
      return steps_.apply(call, {condition, a, b}, to());
    }
    const Grid grid{steps_.grid().positions, steps_.grid().channels * words};
    return steps_.apply(call, {repeated(condition, words, grid), a.as_words(), b.as_words()}, grid,
                        ElementType::kInt32);
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
    if (const auto formula = formula_of(steps_.graph(), op_, {integer(0).word})) {
      return convert(*formula, x);
    }
    if (is_integer(from()) && to() == ElementType::kFloat32) {
      return convert(to_float(number_of(integer(0), from())).word, x);
    }
    const auto is = [&](ElementType a, ElementType b) { return from() == a && to() == b; };
    if (is(ElementType::kFloat32, ElementType::kFloat16)) {
      return convert(functions::half_of(real(0)).word, x);
    }
    if (is(ElementType::kFloat16, ElementType::kFloat32)) {
      return convert(functions::of_half<F>(integer(0)).word, x);
    }
    if (is(ElementType::kFloat32, ElementType::kBfloat16)) {
      return convert(functions::bfloat_of(real(0)).word, x);
    }
    if (is(ElementType::kBfloat16, ElementType::kFloat32)) {
      return convert(functions::of_bfloat<F>(integer(0)).word, x);
    }
    if (fits_word(from()) && to() == ElementType::kBool) {
      return convert((equal(number_of(integer(0), from()), 0) + 1).word, x);
    }
    if (fits_word(from()) && fits_word(to())) {
      return resized(x, from(), to());
    }
    throw Refused(fmt::format("a conversion from {} to {}", graph::name_of(from()), graph::name_of(to())));
  }

  Term convert(const compiler::ExpressionPtr& value, const Term& x) {
    return apply("convert", {format_of(from())}, I(value), {x}, to());
  }

  /// What an element is, as an integer of 32 bits.
  static I number_of(const I& element, ElementType type) {
    return type == ElementType::kUint8 ? element + 128 : type == ElementType::kUint16 ? element & 0xFFFF : element;
  }

  /// Integers as others, of which they keep the lower bits.
  Term resized(const Term& x, ElementType from, ElementType to) {
    constexpr int kLaneBits = 32, kByteBits = 8;
    const I shift = kLaneBits - static_cast<int>(size_of(to)) * kByteBits;
    const I number = number_of(integer(0), from);
    const I stored = to == ElementType::kUint8 ? number - 128 : number;
    return apply("convert", {format_of(from)}, (stored << shift) >> shift, {x}, to);
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
    const BinaryKind kind = binary->kind;
    const bool bitwise = kind == BinaryKind::kShiftLeft || kind == BinaryKind::kShiftRight ||
                         kind == BinaryKind::kAnd || kind == BinaryKind::kOr || kind == BinaryKind::kXor;
    const bool sums = kind == BinaryKind::kAdd || kind == BinaryKind::kSubtract || kind == BinaryKind::kMultiply;
    return !bytes || sums || bitwise || graph.tensor(op.inputs[0]).type == ElementType::kBool;
  }
  return !bytes;
}

std::vector<Layer> lower_unquantized(const Graph& graph, const Operator& op, bool plain) {
  require(std::any_of(op.inputs.begin(), op.inputs.end(), [&](TensorId id) { return !graph.tensor(id).constant; }),
          "only constant operands");
  return Lowering(graph, op, plain).run();
}

}  // namespace systole::network
