// SPDX-License-Identifier: Apache-2.0
// What a command may write, as sets that can be compared and intersected.
#pragma once

#include <cstdint>
#include <vector>

#include "model_state.hpp"
#include "systole/accesses.hpp"
#include "systole/bits.hpp"

namespace systole::lockstep {

struct RowSpan {
  Memory memory;
  std::uint32_t first;
  std::uint32_t end;
};

/// Bytes of device memory.
struct ByteSpan {
  std::uint64_t first;
  std::uint64_t end;
};

/// Each list is ascending and without overlap. Rows are limited to existing ones; bytes may lie beyond the memory.
struct Footprint {
  std::vector<RowSpan> rows;      ///< written on chip
  std::vector<ByteSpan> stored;   ///< written in device memory
  std::vector<ByteSpan> loaded;   ///< read from device memory
  std::vector<ByteSpan> touched;  ///< `stored`, rounded out to whole bus words as covered by its bursts

  bool writes(Memory memory) const;
  bool writes(Memory memory, std::uint32_t row) const;
  bool stores(std::uint64_t address) const;
};

/// Requires a legal instruction; `windows` are those in effect while it runs, `kernels` is the content of the kernel
/// memory. Of a kernel that cannot go on it is what the kernel writes before.
Footprint footprint_of(const isa::Instruction& instruction, const Configuration& configuration,
                       const AddressWindows& windows, const std::vector<kernel::Word>* kernels = nullptr);

}  // namespace systole::lockstep
