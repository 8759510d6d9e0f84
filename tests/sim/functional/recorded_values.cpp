// SPDX-License-Identifier: Apache-2.0
#include "recorded_values.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace systole::test {

using compiler::Expression;
using compiler::ExpressionPtr;
using kernel::Op;

std::uint32_t value_of(const ExpressionPtr& e, const std::vector<std::uint32_t>& operands) {
  switch (e->kind) {
    case Expression::Kind::kConstant: return e->value;
    case Expression::Kind::kOperand: return operands.at(e->value);
    case Expression::Kind::kParameter: throw std::logic_error("a parameter");
    case Expression::Kind::kOperation: break;
  }
  const auto constant = [&](const ExpressionPtr& source) {
    return source == nullptr ? nullptr : compiler::constant(value_of(source, operands));
  };
  return compiler::operation(e->op, constant(e->a), constant(e->b))->value;
}

ExpressionPtr random_expression(Bench& bench, int size, const std::vector<ExpressionPtr>& operands) {
  constexpr Op kOps[] = {Op::kIadd,  Op::kIsub,      Op::kImul,       Op::kAnd,         Op::kOr,
                         Op::kXor,   Op::kShiftLeft, Op::kLess,       Op::kFadd,        Op::kFsub,
                         Op::kFmul,  Op::kFmin,      Op::kShiftRight, Op::kFmax,        Op::kEqual,
                         Op::kFless, Op::kToInt,     Op::kToFloat,    Op::kShiftLogical};
  std::vector<ExpressionPtr> made = operands;
  for (int i = 0; i < size; ++i) {
    const Op op = kOps[static_cast<std::size_t>(bench.uniform(0, static_cast<int>(std::size(kOps)) - 1))];
    const auto any = [&] {
      const int most = static_cast<int>(made.size()) - 1;
      return made[static_cast<std::size_t>(bench.uniform(std::max(0, most - 6), most))];
    };
    const std::uint32_t bits = bench.uniform(0, 1) == 0 ? static_cast<std::uint32_t>(bench.uniform(-5, 40))
                                                        : static_cast<std::uint32_t>(bench.word());
    const bool one_source = op == Op::kToInt || op == Op::kToFloat;
    const ExpressionPtr a = any(), b = bench.uniform(0, 3) == 0 ? compiler::constant(bits) : any();
    made.push_back(one_source                 ? compiler::operation(op, a)
                   : bench.uniform(0, 1) == 0 ? compiler::operation(op, a, b)
                                              : compiler::operation(op, b, a));
  }
  return made.back();
}

std::string listing(const kernel::Kernel& kernel) {
  std::string text;
  for (const kernel::Word word : kernel.words) {
    text += kernel::disassemble(word) + "\n";
  }
  return text;
}

}  // namespace systole::test
