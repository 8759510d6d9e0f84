// SPDX-License-Identifier: Apache-2.0
// Operators of whole rows of float32, most of them beside products in block floating point, in Arithmetic::kBlocks: the
// rules of sim/golden/binary32_rows.hpp.
#pragma once

#include <optional>

#include "execute_kinds.hpp"

namespace systole::graph {

/// The result, or nothing in another arithmetic. check_types() has checked the operator.
std::optional<Value> in_rows(const Call& call, const Reduce& op);
std::optional<Value> in_rows(const Call& call, const Softmax& op);

/// Whether a softmax of float32 outside of blocks follows the rule of rows, too, not that of folds.
bool is_strict_row(const Softmax& op, const Shape& shape);

}  // namespace systole::graph
