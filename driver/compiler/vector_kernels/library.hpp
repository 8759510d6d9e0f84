// SPDX-License-Identifier: Apache-2.0
// Kernels that live as long as the program, so that the compiler knows one by its address.
#pragma once

#include <string>

#include "element_kernel.hpp"
#include "fold_kernel.hpp"
#include "row_kernel.hpp"
#include "systole/kernel.hpp"

namespace systole::compiler {

/// The kernel in NAME.tpuk, assembled with these formats. Throws InternalError for a name that is none, and for a
/// kernel that does not assemble.
const kernel::Kernel& library_kernel(const std::string& name, const kernel::FormatNames& formats = {});

/// A kernel of this text. Throws InternalError if it does not assemble.
const kernel::Kernel& made_kernel(const std::string& text);

/// The kernel of an element-wise function. Throws InternalError if there is none.
const kernel::Kernel& made_kernel(const ElementFunction& function, const ElementRows& rows);

/// The kernel of a function of rows. Throws InternalError if there is none.
const kernel::Kernel& made_kernel(const RowFunction& function, int dim, Strips strips);

/// The kernel of a fold.
const kernel::Kernel& made_kernel(const FoldFunction& function);

}  // namespace systole::compiler
