// SPDX-License-Identifier: Apache-2.0
// What an element-wise kernel computes, as data: formulas (sim/golden/functions) evaluated over these types are
// recorded, operation by operation of the vector processor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "systole/kernel.hpp"

namespace systole::compiler {

struct Expression;
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A word of 32 bits in each lane.
struct Expression {
  enum class Kind : std::uint8_t {
    kOperand,    ///< an element of operand number `value`
    kParameter,  ///< an argument of the kernel, `name`, the same for all elements
    kConstant,   ///< `value`
    kOperation,  ///< `op` of `a`, and of `b` if it has two sources
  };
  Kind kind;
  std::uint32_t value = 0;
  std::string name = {};
  kernel::Op op = kernel::Op::kMove;
  ExpressionPtr a = nullptr, b = nullptr;
};

ExpressionPtr operand(std::uint32_t number);
ExpressionPtr parameter(std::string name);
ExpressionPtr constant(std::uint32_t bits);
/// The operation; what is known without it is not recorded: operations on constants, or-ing nothing, and the like.
ExpressionPtr operation(kernel::Op op, ExpressionPtr a, ExpressionPtr b = nullptr);

/// Expressions with others in the place of operands and parameters. What is equal before is equal afterwards.
class Substitution {
 public:
  /// Returns the expression for an operand or a parameter, or nothing.
  using Of = std::function<ExpressionPtr(const Expression&)>;
  explicit Substitution(Of of) : of_(std::move(of)) {}

  ExpressionPtr operator()(const ExpressionPtr& e);

 private:
  Of of_;
  std::map<ExpressionPtr, ExpressionPtr> made_;
};

/// The expression with another one in the place of an operand.
ExpressionPtr with_operand(const ExpressionPtr& e, std::uint32_t number, const ExpressionPtr& by);

/// An expression as an integer, for formulas.
class IntWord {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): formulas have constants
  IntWord(std::int32_t number) : word(constant(static_cast<std::uint32_t>(number))) {}
  explicit IntWord(ExpressionPtr expression) : word(std::move(expression)) {}

  ExpressionPtr word;
};

/// An expression as binary32, for formulas.
class FloatWord {
 public:
  using Int = IntWord;
  // NOLINTNEXTLINE(google-explicit-constructor): formulas have constants
  FloatWord(float number);
  explicit FloatWord(ExpressionPtr expression) : word(std::move(expression)) {}

  ExpressionPtr word;
};

inline IntWord recorded(kernel::Op op, const IntWord& a, const IntWord& b) {
  return IntWord(operation(op, a.word, b.word));
}
inline FloatWord recorded(kernel::Op op, const FloatWord& a, const FloatWord& b) {
  return FloatWord(operation(op, a.word, b.word));
}

inline IntWord operator+(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kIadd, a, b); }
inline IntWord operator-(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kIsub, a, b); }
inline IntWord operator*(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kImul, a, b); }
inline IntWord operator&(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kAnd, a, b); }
inline IntWord operator|(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kOr, a, b); }
inline IntWord operator^(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kXor, a, b); }
inline IntWord operator<<(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kShiftLeft, a, b); }
inline IntWord operator>>(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kShiftRight, a, b); }
inline IntWord shift_logical(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kShiftLogical, a, b); }
/// a * 2^b, saturated.
inline IntWord shift_saturate(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kShiftSaturate, a, b); }
/// a / 2^b, to nearest, ties away from zero.
inline IntWord shift_round(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kShiftRound, a, b); }
/// The product of a and a fraction of 2^31.
inline IntWord multiply_high(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kMulHigh, a, b); }
inline IntWord minimum(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kMin, a, b); }
inline IntWord maximum(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kMax, a, b); }
inline IntWord less(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kLess, a, b); }
inline IntWord equal(const IntWord& a, const IntWord& b) { return recorded(kernel::Op::kEqual, a, b); }
inline IntWord count_zeros(const IntWord& a) { return IntWord(operation(kernel::Op::kCountZeros, a.word)); }
/// The table's word number a modulo 256.
inline IntWord table(const IntWord& a) { return IntWord(operation(kernel::Op::kTable, a.word)); }

inline FloatWord operator+(const FloatWord& a, const FloatWord& b) { return recorded(kernel::Op::kFadd, a, b); }
inline FloatWord operator-(const FloatWord& a, const FloatWord& b) { return recorded(kernel::Op::kFsub, a, b); }
inline FloatWord operator*(const FloatWord& a, const FloatWord& b) { return recorded(kernel::Op::kFmul, a, b); }
inline FloatWord minimum(const FloatWord& a, const FloatWord& b) { return recorded(kernel::Op::kFmin, a, b); }
inline FloatWord maximum(const FloatWord& a, const FloatWord& b) { return recorded(kernel::Op::kFmax, a, b); }
inline IntWord less(const FloatWord& a, const FloatWord& b) {
  return IntWord(operation(kernel::Op::kFless, a.word, b.word));
}

inline IntWord to_int(const FloatWord& a) { return IntWord(operation(kernel::Op::kToInt, a.word)); }
inline FloatWord to_float(const IntWord& a) { return FloatWord(operation(kernel::Op::kToFloat, a.word)); }
inline IntWord as_int(const FloatWord& a) { return IntWord(a.word); }
inline FloatWord as_float(const IntWord& a) { return FloatWord(a.word); }

/// Correctly rounded, by the steps of functions/quotient.hpp.
FloatWord divide(const FloatWord& a, const FloatWord& b);
FloatWord square_root(const FloatWord& a);

/// A function of elements in the same place of tensors.
struct ElementFunction {
  std::string name;
  std::vector<kernel::Format> operands;
  kernel::Format result = kernel::Format::kI32;
  ExpressionPtr value = nullptr;
  ExpressionPtr also = nullptr;  ///< a second result, if there is one
};

}  // namespace systole::compiler
