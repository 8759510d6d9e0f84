// SPDX-License-Identifier: Apache-2.0
// Left operands of products in block floating point that are transpositions, as in the gradients of weights. A kernel
// can make weight tiles of the matrix as it lies, which LOADs turn back, so that no words need be moved; but tiles take
// the vector processor longer than blocks.
#pragma once

#include <optional>

#include "rewritten.hpp"
#include "systole/generated/configuration.hpp"

namespace systole::network {

/// Replaces transposition and conversion where the layers by themselves are then faster; nothing if there are none.
/// `cycles` are those of the layers. Only where tiles have 16 rows of 16 lanes, and LOADs can turn them.
std::optional<Rewritten> turn_left_operands(const Segment& segment, const std::vector<std::int64_t>& cycles,
                                            const Configuration& configuration, const CyclesOf& cycles_of);

}  // namespace systole::network
