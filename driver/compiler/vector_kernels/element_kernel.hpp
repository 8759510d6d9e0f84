// SPDX-License-Identifier: Apache-2.0
// Kernels of element-wise functions: a loop over strips of rows in which every operation of an expression is one of the
// vector processor.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "expression.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// Where a kernel finds the elements of an operand.
enum class Reading : std::uint8_t {
  kRows,      ///< in rows of their own, one for each row of the result
  kRepeated,  ///< in one row, the same for each row of the result
  kNumber,    ///< in the first lane of one row, the same for all elements
};

struct ElementRows {
  std::vector<Reading> operands;
  int step = 1;               ///< distance of the rows of operands and results
  bool one_distance = false;  ///< all are words, and the planes of all are `to_plane` apart
};

/// The kernel of a function. Its arguments are `a`, `b`, ... for the first rows of the operands and `to` for that of
/// the result, each followed by the distance of the planes of an element's bytes, `a_plane`, where it has several;
/// `also` for a second result, whose planes are as far apart; `rows`, `strips` of them, and the parameters of the
/// expression. What is the same for all elements is computed once, before the loop, if there are registers for it.
/// Nothing if there are too few registers or arguments, or if the kernel would exceed the kernel memory.
std::optional<kernel::Kernel> element_kernel(const ElementFunction& function, const ElementRows& rows);

/// Vector operations for a strip, without those before the loop.
int strip_operations(const kernel::Kernel& kernel);

}  // namespace systole::compiler
