// SPDX-License-Identifier: Apache-2.0
// Products of float32 in block floating point: Arithmetic::kBlocks.
#pragma once

#include <optional>

#include "execute_kinds.hpp"

namespace systole::graph {

/// Nothing in another arithmetic. Operands are converted to blocks, sums begin at +0, and a bias is added to the result
/// in binary32.
std::optional<Value> in_blocks(const Call& call, const Conv2d& op);
std::optional<Value> in_blocks(const Call& call, const Dense& op);
std::optional<Value> in_blocks(const Call& call, const MatMul& op);

}  // namespace systole::graph
