// SPDX-License-Identifier: Apache-2.0
// Exchanges a transposition with the reshape that follows it.
#pragma once

#include <optional>

#include "permutation.hpp"

namespace systole::graph {

struct ReshapeBefore {
  Shape shape;              ///< of the reshaped operand
  Permutation permutation;  ///< makes the result of it
};

/// A transposition of `operand`, then a reshape to `result`, as a reshape, then a transposition. None if the reshape
/// merges axes that are not neighbours in the operand, or splits their product elsewhere.
std::optional<ReshapeBefore> reshape_before(const Shape& operand, const Permutation& permutation, const Shape& result);

}  // namespace systole::graph
