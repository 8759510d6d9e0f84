// SPDX-License-Identifier: Apache-2.0
// Folds of positions as formulas.
#pragma once

#include "fold_kernel.hpp"
#include "systole/graph.hpp"
#include "systole/requantize.hpp"

namespace systole::network {

/// The fold that reduces binary32 by the rules of sim/golden/binary32.hpp. A mean uses the fold of the sum.
compiler::FoldFunction float_fold(graph::ReduceKind kind);

/// The fold that reduces int8. A maximum or minimum has no parameters. A sum starts with the parameter `offset`; the
/// result is the sum times the parameter `multiplier` and 2^shift, plus the parameter `zero_point`.
compiler::FoldFunction byte_fold(graph::ReduceKind kind, int shift);

/// The fold that reduces int16; the parameters `least` and `greatest` limit the result. A sum is multiplied by 2^left,
/// by the parameter `multiplier` over 2^31, and by 2^-right.
compiler::FoldFunction wide_fold(graph::ReduceKind kind, int left = 0, int right = 0);

}  // namespace systole::network
