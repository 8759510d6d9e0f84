// SPDX-License-Identifier: Apache-2.0
// What a command touches, known from its fields alone: no address depends on data. For the checkers of whole programs,
// and for whoever compares a command's effects.
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
  /// `count` consecutive rows, modulo 2^16 (weight rows already modulo the ring). Rows beyond the memory are reported
  /// too. Within a command the accesses of a vector instruction come position by position, reads before the write;
  /// repeated touches of a row may be reported once.
  virtual void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) = 0;
  /// Bytes of device memory, by window.
  virtual void bytes(int window, std::uint32_t offset, std::uint64_t count, bool write) = 0;
};

/// Reports what a legal instruction touches.
void visit_accesses(const isa::Instruction& instruction, const Configuration& configuration, AccessVisitor& visitor);

/// At most how many places of a legal instruction visit_accesses() looks at, which its time is in proportion to; in
/// constant time. They can be 2^62: for whoever has an instruction that nobody vouches for.
std::uint64_t access_bound(const isa::Instruction& instruction, const Configuration& configuration);

}  // namespace systole
