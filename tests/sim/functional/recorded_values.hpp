// SPDX-License-Identifier: Apache-2.0
// Expressions as tests need them: their values, and random ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expression.hpp"
#include "model_bench.hpp"

namespace systole::test {

/// The value of an expression: constants take the place of operands.
std::uint32_t value_of(const compiler::ExpressionPtr& e, const std::vector<std::uint32_t>& operands);

/// An expression of `size` operations of which later ones use earlier ones.
compiler::ExpressionPtr random_expression(Bench& bench, int size, const std::vector<compiler::ExpressionPtr>& operands);

/// A kernel's words, one a line.
std::string listing(const kernel::Kernel& kernel);

}  // namespace systole::test
