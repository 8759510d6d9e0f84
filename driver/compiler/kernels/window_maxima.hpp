// SPDX-License-Identifier: Apache-2.0
// The kernel of maximum pools of binary32.
#pragma once

#include "systole/kernel.hpp"

namespace systole::compiler {

/// The greatest of each lane over windows of `high` lines of `wide` rows that follow each other along a line; NaN where
/// one is a NaN. Arguments: `a` first row; `a_plane`, `to_plane` distances of the planes of operand and result;
/// `a_line` from one line of a window to the next; `to` first row of the result; `step` rows from one window to the
/// next; `rows` windows, and `strips` of eight of them.
const kernel::Kernel& window_maxima_kernel(int high, int wide);

}  // namespace systole::compiler
