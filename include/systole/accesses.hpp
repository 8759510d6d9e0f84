// SPDX-License-Identifier: Apache-2.0
// The memory accesses of a command. They follow from its fields alone, because no address depends on data. The program
// checkers use them, and so does lockstep, which compares the effects of commands.
#pragma once

#include <cstdint>
#include <functional>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/memories.hpp"

namespace systole {

/// Number of rows of an on-chip memory.
constexpr int rows_of(const Configuration& c, Memory memory) {
  switch (memory) {
    case Memory::kScratchpad: return c.scratch_rows;
    case Memory::kWeights: return c.weight_rows;
    case Memory::kParameters: return c.param_rows;
    case Memory::kAccumulators: return c.acc_rows;
    case Memory::kDevice: break;
  }
  return 0;
}

/// Receiver of a command's accesses.
class AccessVisitor {
 public:
  virtual ~AccessVisitor() = default;
  /// An access to `count` consecutive rows, modulo 2^16 (weight rows modulo the size of the weight ring). Rows beyond
  /// the end of the memory are reported too. The accesses of a vector instruction come position by position, reads
  /// before the write. Repeated accesses to the same row may be reported once.
  virtual void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) = 0;
  /// An access to the bytes [offset, offset + count) of an address window.
  virtual void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) = 0;
};

/// Reports all accesses of a legal instruction.
void visit_accesses(const isa::Instruction& instruction, const Configuration& configuration, AccessVisitor& visitor);

/// An upper bound of the accesses that visit_accesses() enumerates for a legal instruction, computed in constant time.
/// It can be as large as 2^62: test it before visiting an instruction from an untrusted source.
std::uint64_t access_bound(const isa::Instruction& instruction, const Configuration& configuration);

}  // namespace systole
