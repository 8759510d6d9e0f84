// SPDX-License-Identifier: Apache-2.0
// The kernels of this folder, assembled.
#pragma once

#include <string>

#include "systole/kernel.hpp"

namespace systole::compiler {

/// The kernel in NAME.tpuk, assembled with these formats; lives as long as the program. Throws InternalError for a name
/// that is none, and for a kernel that does not assemble.
const kernel::Kernel& library_kernel(const std::string& name, const kernel::FormatNames& formats = {});

/// A kernel of this text; lives as long as the program. Throws InternalError if it does not assemble.
const kernel::Kernel& made_kernel(const std::string& text);

}  // namespace systole::compiler
