// SPDX-License-Identifier: Apache-2.0
// Folds of positions as formulas.
#pragma once

#include "fold_kernel.hpp"
#include "systole/graph.hpp"
#include "systole/requantize.hpp"

namespace systole::network {

/// Of binary32, by the rules of sim/golden/binary32.hpp: sum, greatest, least or product. That of a mean is the sum.
compiler::FoldFunction float_fold(graph::ReduceKind kind);

/// Of int8: greatest or least; or the sum, which begins at the argument `offset`, times `multiplier` with this shift,
/// plus `zero_point`.
compiler::FoldFunction byte_fold(graph::ReduceKind kind, int shift);

/// Of int16, limited to `least` .. `greatest`: greatest or least; or the sum times 2^left, times `multiplier` over
/// 2^31, over 2^right.
compiler::FoldFunction wide_fold(graph::ReduceKind kind, int left = 0, int right = 0);

}  // namespace systole::network
