// SPDX-License-Identifier: Apache-2.0
// What a check of a program may take for granted of memories. A VECTOR accesses what its kernel says, and LOAD copies
// kernels from device memory: a checker that is to follow them must know both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "systole/kernel.hpp"

namespace systole {

/// Contents before the program runs. Without them nothing is known, and a program with a VECTOR is refused.
struct KnownMemory {
  /// Reads device memory; returns false where the content is not known.
  std::function<bool(std::uint64_t address, std::size_t bytes, void* to)> device;
  /// Words of the kernel memory, kernel::kUnknownWord where unknown; empty: all are unknown.
  std::vector<kernel::Word> kernels;
};

}  // namespace systole
