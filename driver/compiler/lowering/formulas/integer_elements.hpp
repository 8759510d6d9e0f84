// SPDX-License-Identifier: Apache-2.0
// Element-wise functions of integers without a scale, of up to 32 bits.
#pragma once

#include <optional>

#include "expression.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// The result, as it is stored, of operands as they are stored; nothing if the device has no formula for it. That of a
/// comparison is a word of ones where it holds and of zeros elsewhere.
std::optional<compiler::IntWord> integer_formula(graph::BinaryKind kind, graph::ElementType type,
                                                 const compiler::IntWord& lhs, const compiler::IntWord& rhs);

}  // namespace systole::network
