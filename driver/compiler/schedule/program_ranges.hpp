// SPDX-License-Identifier: Apache-2.0
// The memory of a program that is being built. Until the program is finished, an address is a single number of 32 bits
// in kUnplacedRanges. link() then replaces the addresses of an instruction by window and offset.
#pragma once

#include <array>
#include <cstdint>

#include "row_footprint.hpp"
#include "systole/program.hpp"

namespace systole::compiler {

class ProgramRanges {
 public:
  /// Appends `bytes` to the range of a window, in units of kBufferAlignment; returns the address. Throws Failure when
  /// the range is full.
  std::uint32_t append(int window, std::uint64_t bytes);

  /// Offset of an address in its range.
  static std::uint64_t offset(std::uint32_t address);

  /// Throws InternalError unless the bytes of device memory lie in one range.
  void check(const Span& span, const isa::Instruction& instruction) const;

  /// The instruction with window and offset, if it accesses device memory.
  static isa::Instruction link(const isa::Instruction& instruction);

  /// Bytes of the range of a window so far.
  std::uint64_t bytes(int window) const { return bytes_[static_cast<std::size_t>(window)]; }

 private:
  std::array<std::uint64_t, 3> bytes_{};
};

}  // namespace systole::compiler
