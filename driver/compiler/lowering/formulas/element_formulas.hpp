// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of float32 and of integers as formulas.
#pragma once

#include <optional>
#include <vector>

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The result of the operator as an expression of its operands, which are of float32, or integers without a scale. A
/// condition is a word of ones where it holds and of zeros elsewhere. Returns nothing if the operator has no
/// formula.
std::optional<compiler::ExpressionPtr> formula_of(const graph::Graph& graph, const graph::Operator& op,
                                                  const std::vector<compiler::ExpressionPtr>& operands);

/// Whether formula_of() has one.
bool has_formula(const graph::Graph& graph, const graph::Operator& op);

/// 2 or 3 if the operator is a power of float32 that is computed by multiplications, else 0.
int multiplied_power(const graph::Graph& graph, const graph::Operator& op);

/// Whether its result is a condition.
bool is_comparison(const graph::Operator& op);

/// Steps of other operators: a function of one or two operands of binary32.
compiler::KernelCall float_call(graph::UnaryKind kind);
compiler::KernelCall float_call(graph::BinaryKind kind);

/// `low` to `high`, outside of which a function leaves nothing.
struct Limits {
  float low, high;
};
/// The limits of a function that only limits its operand.
std::optional<Limits> limits_of(const compiler::ElementFunction& function);

/// Whether it is the sum of its two operands.
bool is_sum(const compiler::ElementFunction& function);

}  // namespace systole::network
