// SPDX-License-Identifier: Apache-2.0
// What a kernel will do, found by running its control flow on the host: addresses depend on arguments only.
#pragma once

#include <cstdint>

#include "kernel_program.hpp"
#include "kernel_source.hpp"

namespace systole::cli {

struct KernelWork {
  std::uint64_t operations = 0;  ///< vector operations on strips of at least one row
  std::uint32_t words = 0;       ///< micro-instructions executed
};

/// Throws InputError, with the line and the statement, where the kernel would end with an error, and where its result
/// would depend on what was in the core before: at a row of a memory that belongs to no array, and where it reads what
/// neither an option nor an operation before has written, be it a row, a vector register or the table.
KernelWork work_of(const KernelSource& source, const KernelCall& call, const KernelProgram& program);

}  // namespace systole::cli
