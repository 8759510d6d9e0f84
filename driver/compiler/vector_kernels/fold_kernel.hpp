// SPDX-License-Identifier: Apache-2.0
// Kernels that fold positions which follow each other, channel by channel: sums, greatest elements and the like.
#pragma once

#include <string>
#include <vector>

#include "expression.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// What is known of the elements so far is in one value or several. In `next`, operand 0 is the next element and
/// operand 1 + i value number i; in `last`, operand i is value number i.
struct FoldFunction {
  std::string name;
  kernel::Format operand = kernel::Format::kI32, result = kernel::Format::kI32;
  std::vector<ExpressionPtr> first;  ///< the values before the first element, of constants and parameters
  std::vector<ExpressionPtr> next;   ///< the values with another element
  ExpressionPtr last = nullptr;      ///< the result
};

/// The kernel of a fold. Arguments: `a`, `a_plane` first row of the first plane and distance of the planes; `a_each`
/// positions for each result, `a_row` distance from those of one result to those of the next; `to`, `to_plane` of the
/// result, and `to_row` from one to the next if it has 32 bits; `rows` results, `strips` of eight of them, `planes` of
/// channels, and the parameters. Throws InternalError for a fold that has too many.
kernel::Kernel fold_kernel(const FoldFunction& function);

}  // namespace systole::compiler
