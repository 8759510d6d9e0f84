// SPDX-License-Identifier: Apache-2.0
// A kernel with its source, for messages in the words of whoever wrote it.
#pragma once

#include <string>

#include "systole/kernel.hpp"

namespace systole::cli {

struct KernelSource {
  std::string file, text;
  kernel::Kernel kernel;

  /// "FILE:LINE: STATEMENT" of a word; "FILE" of one that the kernel does not have.
  std::string place(std::uint32_t word) const;
  /// The name of a vector register, or v0 .. v15 where it has none.
  std::string vector_name(std::uint32_t number) const;
};

/// Throws FileError for a file that cannot be read, and AssemblyError.
KernelSource read_kernel(const std::string& file);

}  // namespace systole::cli
