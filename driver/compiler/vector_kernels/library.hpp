// SPDX-License-Identifier: Apache-2.0
// The kernels of this folder, assembled.
#pragma once

#include <string_view>

#include "systole/kernel.hpp"

namespace systole::compiler {

/// The kernel in NAME.tpuk; lives as long as the program. Throws InternalError for a name that is none.
const kernel::Kernel& library_kernel(std::string_view name);

}  // namespace systole::compiler
