// SPDX-License-Identifier: Apache-2.0
// What a kernel will do, found by running its control flow on the host: addresses depend on arguments only.
#pragma once

#include <cstdint>
#include <string>

#include "systole/generated/configuration.hpp"
#include "systole/kernel_sequencer.hpp"

namespace systole::cli {

struct KernelWork {
  std::uint64_t operations = 0;  ///< vector operations on strips of at least one row
  std::uint32_t words = 0;       ///< micro-instructions executed
};

/// Throws InputError, with `source` and the line, where the kernel would end with an error: a row that the memory does
/// not have, too many words.
KernelWork work_of(const kernel::Kernel& kernel, const kernel::Arguments& arguments, const Configuration& configuration,
                   const std::string& source);

}  // namespace systole::cli
