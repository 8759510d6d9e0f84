// SPDX-License-Identifier: Apache-2.0
#include "element_formulas.hpp"

#include <bit>
#include <limits>
#include <variant>

#include "attributes.hpp"
#include "element_functions.hpp"
#include "execute_binary32.hpp"
#include "integer_elements.hpp"
#include "integer_formulas.hpp"

namespace systole::network {
namespace {

namespace functions = golden::functions;

using compiler::Expression;
using compiler::ExpressionPtr;
using F = compiler::FloatWord;
using I = compiler::IntWord;
using graph::BinaryKind;
using graph::ElementType;
using graph::UnaryKind;
using kernel::Format;

I complement(const I& a) { return a ^ -1; }

/// -inf, inf or either.
I is_infinite(const F& a, bool negative, bool positive) {
  const I bits = as_int(a), infinity(functions::kInfinityBits);
  return negative && positive ? equal(bits & functions::kMagnitude, infinity)
         : negative           ? equal(bits, infinity | functions::kSignBit)
         : positive           ? equal(bits, infinity)
                              : I(0);
}

template <class Word>
std::optional<ExpressionPtr> word_of(const std::optional<Word>& formula) {
  return formula ? std::optional(formula->word) : std::nullopt;
}

std::optional<ExpressionPtr> of_unary(const graph::Unary& op, const F& a) {
  switch (op.kind) {
    case UnaryKind::kIsNan: return functions::is_nan(a).word;
    case UnaryKind::kIsInfinite: return is_infinite(a, op.alpha != 0, op.beta != 0).word;
    default: return word_of(graph::formula_of<F>(op.kind, a, op.alpha, op.beta));
  }
}

ExpressionPtr of_power(const F& a, int exponent) { return exponent == 2 ? (a * a).word : (a * a * a).word; }

std::optional<ExpressionPtr> of_binary(BinaryKind kind, const F& a, const F& b) {
  const auto ordered = [&] { return complement(functions::is_nan(a) | functions::is_nan(b)); };
  switch (kind) {
    case BinaryKind::kLess: return less(a, b).word;
    case BinaryKind::kLessOrEqual: return (complement(less(b, a)) & ordered()).word;
    case BinaryKind::kEqual: return (complement(less(a, b) | less(b, a)) & ordered()).word;
    default: return word_of(graph::formula_of<F>(kind, a, b));
  }
}

/// Between words.
std::optional<ExpressionPtr> of_conversion(ElementType from, ElementType to, const ExpressionPtr& a) {
  if (from == ElementType::kInt32 && to == ElementType::kFloat32) {
    return to_float(I(a)).word;
  }
  if (from == ElementType::kUint32 && to == ElementType::kFloat32) {
    return as_int(functions::of_wide<F>(I(a), I(0), I(0))).word;
  }
  if (from == ElementType::kFloat32 && to == ElementType::kInt32) {
    return functions::truncated(F(a)).word;
  }
  return std::nullopt;
}

bool is_constant(const ExpressionPtr& e) { return e->kind == Expression::Kind::kConstant; }
bool is_first_operand(const ExpressionPtr& e) { return e->kind == Expression::Kind::kOperand && e->value == 0; }

/// The constant with which an operation combines another expression.
std::optional<float> constant_of(const ExpressionPtr& e, kernel::Op op) {
  return e->kind == Expression::Kind::kOperation && e->op == op && is_constant(e->b)
             ? std::optional(std::bit_cast<float>(e->b->value))
             : std::nullopt;
}

}  // namespace

std::optional<ExpressionPtr> formula_of(const graph::Graph& graph, const graph::Operator& op,
                                        const std::vector<ExpressionPtr>& operands) {
  if (const auto* unary = std::get_if<graph::Unary>(&op.kind)) {
    if (graph.tensor(op.inputs[0]).type != ElementType::kFloat32) {
      return std::nullopt;
    }
    const F a(operands[0]);
    return op.arithmetic == graph::Arithmetic::kBlocks ? word_of(graph::near_formula_of<F>(unary->kind, a))
                                                       : of_unary(*unary, a);
  }
  if (const auto* binary = std::get_if<graph::Binary>(&op.kind)) {
    if (binary->activation != Activation::kNone) {
      return std::nullopt;
    }
    if (op.arithmetic == graph::Arithmetic::kBlocks) {
      return word_of(graph::near_formula_of<F>(binary->kind, F(operands[0]), F(operands[1])));
    }
    if (const ElementType type = graph.tensor(op.inputs[0]).type; type != ElementType::kFloat32) {
      return word_of(integer_formula(binary->kind, type, I(operands[0]), I(operands[1])));
    }
    if (const int power = multiplied_power(graph, op); power != 0) {
      return of_power(F(operands[0]), power);
    }
    return of_binary(binary->kind, F(operands[0]), F(operands[1]));
  }
  if (std::holds_alternative<graph::Reinterpret>(op.kind)) {
    return operands[0];
  }
  if (std::holds_alternative<graph::Convert>(op.kind)) {
    return of_conversion(graph.tensor(op.inputs[0]).type, graph.tensor(op.outputs[0]).type, operands[0]);
  }
  if (std::holds_alternative<graph::Select>(op.kind)) {
    return functions::select(I(operands[0]), I(operands[1]), I(operands[2])).word;
  }
  return std::nullopt;
}

int multiplied_power(const graph::Graph& graph, const graph::Operator& op) {
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  const int power =
      binary != nullptr && binary->kind == BinaryKind::kPower ? graph::whole_power(graph.tensor(op.inputs[1])) : 0;
  return power == 2 || power == 3 ? power : 0;
}

bool has_formula(const graph::Graph& graph, const graph::Operator& op) {
  std::vector<ExpressionPtr> operands;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    operands.push_back(compiler::operand(static_cast<std::uint32_t>(i)));
  }
  return formula_of(graph, op, operands).has_value();
}

bool is_comparison(const graph::Operator& op) {
  const auto* unary = std::get_if<graph::Unary>(&op.kind);
  const auto* binary = std::get_if<graph::Binary>(&op.kind);
  return unary != nullptr
             ? unary->kind == UnaryKind::kIsNan || unary->kind == UnaryKind::kIsInfinite
             : binary != nullptr && (binary->kind == BinaryKind::kLess || binary->kind == BinaryKind::kLessOrEqual ||
                                     binary->kind == BinaryKind::kEqual);
}

compiler::KernelCall float_call(UnaryKind kind) {
  return compiler::element_call(
      {graph::name_of(kind), {Format::kI32}, Format::kI32, of_unary(graph::Unary{kind}, real(0)).value()});
}

compiler::KernelCall float_call(BinaryKind kind) {
  return compiler::element_call(
      {graph::name_of(kind), {Format::kI32, Format::kI32}, Format::kI32, of_binary(kind, real(0), real(1)).value()});
}

std::optional<Limits> limits_of(const compiler::ElementFunction& function) {
  Limits limits{-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};
  ExpressionPtr e = function.value;
  if (const auto high = constant_of(e, kernel::Op::kFmin)) {
    limits.high = *high;
    e = e->a;
  }
  if (const auto low = constant_of(e, kernel::Op::kFmax)) {
    limits.low = *low;
    e = e->a;
  }
  return is_first_operand(e) && e != function.value ? std::optional(limits) : std::nullopt;
}

bool is_sum(const compiler::ElementFunction& function) {
  const Expression& e = *function.value;
  return e.kind == Expression::Kind::kOperation && e.op == kernel::Op::kFadd && is_first_operand(e.a) &&
         e.b->kind == Expression::Kind::kOperand && e.b->value == 1;
}

}  // namespace systole::network
