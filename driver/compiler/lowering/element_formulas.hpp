// SPDX-License-Identifier: Apache-2.0
// Element-wise operators of float32 as formulas.
#pragma once

#include <optional>
#include <vector>

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// What the operator computes of its operands, in its arithmetic: binary32; of comparisons and of the conditions of
/// selections all bits of a word, ones where they hold. Nothing for an operator that has no formula.
std::optional<compiler::ExpressionPtr> formula_of(const graph::Graph& graph, const graph::Operator& op,
                                                  const std::vector<compiler::ExpressionPtr>& operands);

/// Whether formula_of() has one.
bool has_formula(const graph::Graph& graph, const graph::Operator& op);

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
