// SPDX-License-Identifier: Apache-2.0
// Shared by the operators on float32, int32 and int64.
#pragma once

#include "execute_kinds.hpp"

namespace systole::graph {

/// Operators with boolean results.
Value run_test(const Call& call, const Binary& op);
Value run_test(const Call& call, const Unary& op);

/// Along the last axis; real numbers.
Value l2_normalized(const Call& call);
Value layer_normalized(const Call& call, double epsilon);

/// The value clamped to the activation's range.
double activated(double value, Activation activation);

/// Elements as real numbers; refuses other types.
std::vector<double> reals(const Call& call, const Value& value);

/// Operand i of a product of matrices, repeated for the leading dimensions of the result.
Value matrices(const Call& call, std::size_t i);

/// Real numbers as elements of the tensor, clamped to the activation's range, rounded once.
Value rounded(const std::vector<double>& values, const Tensor& tensor, Activation activation = Activation::kNone);

}  // namespace systole::graph
