// SPDX-License-Identifier: Apache-2.0
// The memory accesses of a command. They follow from its fields and, for VECTOR, from the words of its kernel, because
// no address depends on data. The program checkers use them, and so does lockstep, which compares the effects of
// commands.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/kernel.hpp"
#include "systole/memories.hpp"

namespace systole {

/// Number of rows of an on-chip memory.
constexpr int rows_of(const Configuration& c, Memory memory) {
  switch (memory) {
    case Memory::kScratchpad: return c.scratch_end();
    case Memory::kWeights: return c.weight_rows;
    case Memory::kParameters: return c.param_rows;
    case Memory::kAccumulators: return c.acc_rows;
    case Memory::kKernels: return kernel::memory_rows(c.dim);
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
  /// before the write; those of a kernel operation by operation. Repeated accesses to the same row may be reported
  /// once.
  virtual void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) = 0;
  /// An access to the bytes [offset, offset + count) of an address window.
  virtual void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) = 0;
  /// A VECTOR reaches a word of the kernel memory that is not known. Accesses to all rows that it could touch follow.
  virtual void unknown_kernel(std::uint32_t /*word*/) {}
  /// A VECTOR executes this many words of the kernel memory.
  virtual void executed_words(std::uint32_t /*count*/) {}
};

/// Reports all accesses of a legal instruction. `kernels` is the content of the kernel memory, for VECTOR; null:
/// nothing is known of it. Throws kernel::KernelFault behind the accesses of a kernel that cannot go on.
void visit_accesses(const isa::Instruction& instruction, const Configuration& configuration, AccessVisitor& visitor,
                    const std::vector<kernel::Word>* kernels = nullptr);

/// An upper bound of the accesses that visit_accesses() enumerates for a legal instruction, computed in constant time.
/// It can be as large as 2^62: test it before visiting an instruction from an untrusted source.
std::uint64_t access_bound(const isa::Instruction& instruction, const Configuration& configuration);

}  // namespace systole
