// SPDX-License-Identifier: Apache-2.0
// Kernels of functions of rows: a loop over strips of positions, for each of which the steps are passes over the planes
// of channels.
#pragma once

#include <optional>

#include "row_function.hpp"
#include "row_registers.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// The kernel, on an array of DIM lanes. Arguments: `a`, `a_plane`, `b`, ... first row and distance of the planes of an
/// operand, `b_row` that of the rows of one that may repeat; `words` for words; `to`, `to_plane` of the result; `rows`,
/// and `strips` of eight of them; and the parameters. If strips are of planes, the kernel computes one row: `a_row`,
/// `to_row` are the distances from one plane of elements to the next, and at `meeting` are eight accumulators. Nothing
/// if there are too few registers, or strips of planes cannot compute the function.
std::optional<kernel::Kernel> row_kernel(const RowFunction& function, int dim, Strips strips = Strips::kOfRows);

}  // namespace systole::compiler
