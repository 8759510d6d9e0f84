// SPDX-License-Identifier: Apache-2.0
// Kernels of functions of rows: a loop over strips of positions, for each of which the steps are passes over the planes
// of channels.
#pragma once

#include "row_function.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// The kernel, on an array of DIM lanes. Arguments: `a`, `a_plane`, `b`, ... first row and distance of the planes of an
/// operand, `b_row` that of the rows of one that may repeat; `words` for words; `to`, `to_plane` of the result; `rows`,
/// and `strips` of eight of them; and the parameters. Throws InternalError if it has too many arguments or registers.
kernel::Kernel row_kernel(const RowFunction& function, int dim);

}  // namespace systole::compiler
