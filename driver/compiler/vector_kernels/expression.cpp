// SPDX-License-Identifier: Apache-2.0
#include "expression.hpp"

#include <bit>
#include <optional>
#include <utility>

#include "functions/quotient.hpp"

namespace systole::compiler {
namespace {

using kernel::Op;

bool is_constant(const ExpressionPtr& e) { return e != nullptr && e->kind == Expression::Kind::kConstant; }
bool is_constant(const ExpressionPtr& e, std::uint32_t bits) { return is_constant(e) && e->value == bits; }

bool commutes(Op op) {
  switch (op) {
    case Op::kIadd:
    case Op::kImul:
    case Op::kMulHigh:
    case Op::kMin:
    case Op::kMax:
    case Op::kAnd:
    case Op::kOr:
    case Op::kXor:
    case Op::kEqual:
    case Op::kFadd:
    case Op::kFmul:
    case Op::kFmin:
    case Op::kFmax: return true;
    default: return false;
  }
}

/// The result of an operation on constants, of those that formulas apply to them.
std::optional<std::uint32_t> known(Op op, std::uint32_t a_bits, std::uint32_t b_bits) {
  using golden::functions::as_float;
  using golden::functions::as_int;
  using golden::functions::I32;
  const I32 a = I32::of_bits(a_bits), b = I32::of_bits(b_bits);
  const golden::functions::F32 x = as_float(a), y = as_float(b);
  switch (op) {
    case Op::kToFloat: return as_int(to_float(a)).word;
    case Op::kToInt: return to_int(x).word;
    case Op::kIadd: return (a + b).word;
    case Op::kIsub: return (a - b).word;
    case Op::kImul: return (a * b).word;
    case Op::kAnd: return (a & b).word;
    case Op::kOr: return (a | b).word;
    case Op::kXor: return (a ^ b).word;
    case Op::kShiftLeft: return (a << b).word;
    case Op::kShiftRight: return (a >> b).word;
    case Op::kShiftLogical: return shift_logical(a, b).word;
    case Op::kLess: return less(a, b).word;
    case Op::kEqual: return equal(a, b).word;
    case Op::kFadd: return as_int(x + y).word;
    case Op::kFsub: return as_int(x - y).word;
    case Op::kFmul: return as_int(x * y).word;
    case Op::kFmin: return as_int(minimum(x, y)).word;
    case Op::kFmax: return as_int(maximum(x, y)).word;
    case Op::kFless: return less(x, y).word;
    default: return std::nullopt;
  }
}

/// Whether the operation leaves a as it is.
bool changes_nothing(Op op, const ExpressionPtr& b) {
  switch (op) {
    case Op::kIadd:
    case Op::kIsub:
    case Op::kOr:
    case Op::kXor:
    case Op::kShiftLeft:
    case Op::kShiftRight:
    case Op::kShiftLogical:
    case Op::kShiftSaturate:
    case Op::kShiftRound: return is_constant(b, 0);
    case Op::kAnd: return is_constant(b, ~std::uint32_t{0});
    case Op::kImul: return is_constant(b, 1);
    default: return false;
  }
}

}  // namespace

ExpressionPtr operand(std::uint32_t number) {
  return std::make_shared<const Expression>(Expression{Expression::Kind::kOperand, number});
}

ExpressionPtr parameter(std::string name) {
  return std::make_shared<const Expression>(Expression{Expression::Kind::kParameter, 0, std::move(name)});
}

ExpressionPtr constant(std::uint32_t bits) {
  return std::make_shared<const Expression>(Expression{Expression::Kind::kConstant, bits});
}

ExpressionPtr operation(Op op, ExpressionPtr a, ExpressionPtr b) {
  if (is_constant(a) && (b == nullptr || is_constant(b))) {
    if (const auto result = known(op, a->value, b == nullptr ? 0 : b->value)) {
      return constant(*result);
    }
  }
  if (commutes(op) && is_constant(a)) {
    std::swap(a, b);
  }
  if (changes_nothing(op, b)) {
    return a;
  }
  return std::make_shared<const Expression>(
      Expression{Expression::Kind::kOperation, 0, {}, op, std::move(a), std::move(b)});
}

ExpressionPtr Substitution::operator()(const ExpressionPtr& e) {
  if (e == nullptr) {
    return e;
  }
  if (const auto known = made_.find(e); known != made_.end()) {
    return known->second;
  }
  ExpressionPtr result = e;
  if (e->kind == Expression::Kind::kOperation) {
    const ExpressionPtr a = (*this)(e->a), b = (*this)(e->b);
    result = a == e->a && b == e->b ? e : operation(e->op, a, b);
  } else if (const ExpressionPtr by = of_(*e)) {
    result = (*this)(by);
  }
  made_.emplace(e, result);
  return result;
}

ExpressionPtr with_operand(const ExpressionPtr& e, std::uint32_t number, const ExpressionPtr& by) {
  // What takes the operand's place may read an operand of that number, too: it is not looked at again.
  return e == nullptr                                                  ? e
         : e->kind == Expression::Kind::kOperand && e->value == number ? by
         : e->kind == Expression::Kind::kOperation
             ? operation(e->op, with_operand(e->a, number, by), with_operand(e->b, number, by))
             : e;
}

FloatWord::FloatWord(float number) : word(constant(std::bit_cast<std::uint32_t>(number))) {}

FloatWord divide(const FloatWord& a, const FloatWord& b) { return golden::functions::quotient(a, b); }
FloatWord square_root(const FloatWord& a) { return golden::functions::root(a); }

}  // namespace systole::compiler
