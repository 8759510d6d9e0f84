// SPDX-License-Identifier: Apache-2.0
// The kernel that makes results of sums of block floating point.
#pragma once

#include "results_function.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// What it does, in this order.
struct ResultsForm {
  bool bias = false;                   ///< adds a number for each lane
  bool addend = false;                 ///< adds binary32 of each row
  bool low = false, high = false;      ///< limits
  bool words = false, blocks = false;  ///< writes binary32, blocks, or both
};

/// The kernel's arguments, those of what it does not do left out: `sums` first accumulator row; `bias` scratchpad row
/// of the bias, whose planes follow each other; `addend` and `to` first rows of binary32, with `_plane` the distance of
/// its planes; `low`, `high` binary32; `blocks` first row of the blocks; `rows`, and `strips` of eight of them.
const kernel::Kernel& results_kernel(const ResultsForm& form);

/// The kernel of a function of that, which writes binary32. The arguments are those of element_kernel(): operands are
/// named by their numbers, those of bias and addend follow the function's. Limits are `low` and `high`. Throws
/// InternalError if it is too large.
const kernel::Kernel& function_kernel(const ResultsForm& form, const ResultsFunction& of);
/// Whether it is not.
bool has_function_kernel(const ResultsForm& form, const ResultsFunction& of);

}  // namespace systole::compiler
