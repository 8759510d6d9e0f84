// SPDX-License-Identifier: Apache-2.0
// Operators on float32 in ONNX's arithmetic, by the rules of sim/golden/binary32.hpp: each step is one that the vector
// processor has, so that host and device agree bit for bit. What has no rule is computed in double and rounded once.
#pragma once

#include <optional>

#include "execute_kinds.hpp"

namespace systole::graph {

/// The result, or nothing for an operator without a rule.
std::optional<Value> in_binary32(const Call& call, const Binary& op);
std::optional<Value> in_binary32(const Call& call, const Unary& op);
std::optional<Value> in_binary32(const Call& call, const Reduce& op);
std::optional<Value> in_binary32(const Call& call, const Softmax& op);
std::optional<Value> in_binary32(const Call& call, const Pool& op);
std::optional<Value> in_binary32(const Call& call, const LayerNormalize& op);

std::optional<Value> in_binary32(const Call& call, const MatMul& op);
std::optional<Value> in_binary32(const Call& call, const Dense& op);
std::optional<Value> in_binary32(const Call& call, const Conv2d& op);

/// The power, 2 or 3, that a constant says of all elements: a product has the rule. 0 for any other.
int whole_power(const Tensor& exponent);

}  // namespace systole::graph
