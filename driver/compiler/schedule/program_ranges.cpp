// SPDX-License-Identifier: Apache-2.0
#include "program_ranges.hpp"

#include <fmt/core.h>

#include "systole/disassemble.hpp"
#include "systole/errors.hpp"

namespace systole::compiler {
namespace {

int window_of(std::uint32_t address) {
  return address < kUnplacedRanges[kScratchWindow].begin     ? kBindingsWindow
         : address < kUnplacedRanges[kConstantsWindow].begin ? kScratchWindow
                                                             : kConstantsWindow;
}

const UnplacedRange& range_of(std::uint32_t address) {
  return kUnplacedRanges[static_cast<std::size_t>(window_of(address))];
}

/// Moves an address from the first byte that an instruction accesses, which tells the range, to window and offset. The
/// address itself may lie before the range, where runs at the beginning are not read.
void link(std::uint32_t first_byte, std::uint32_t& address, std::uint8_t& window) {
  address -= static_cast<std::uint32_t>(range_of(first_byte).begin);
  window = static_cast<std::uint8_t>(window_of(first_byte));
}

}  // namespace

std::uint32_t ProgramRanges::append(int window, std::uint64_t bytes) {
  const UnplacedRange& range = kUnplacedRanges[static_cast<std::size_t>(window)];
  std::uint64_t& used = bytes_[static_cast<std::size_t>(window)];
  const std::uint64_t room = range.end - range.begin - used;  // in whole units
  if (bytes > room) {
    throw Failure(
        fmt::format("compiler: {} bytes of {} after {} others in one program; the limit is {}: use a smaller "
                    "network or batch",
                    bytes, range.name, used, range.end - range.begin));
  }
  const auto address = static_cast<std::uint32_t>(range.begin + used);
  used += (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  return address;
}

std::uint64_t ProgramRanges::offset(std::uint32_t address) { return address - range_of(address).begin; }

void ProgramRanges::check(const Span& span, const isa::Instruction& instruction) const {
  const int window = window_of(static_cast<std::uint32_t>(span.begin));
  const UnplacedRange& range = kUnplacedRanges[static_cast<std::size_t>(window)];
  if (span.begin < range.begin || span.end > range.begin + bytes(window)) {
    throw InternalError(
        fmt::format("compiler: bytes {:#x} to {:#x} are not in the {} of the program, {:#x} to {:#x}: {}", span.begin,
                    span.end, range.name, range.begin, range.begin + bytes(window), isa::disassemble(instruction)));
  }
}

isa::Instruction ProgramRanges::link(const isa::Instruction& instruction) {
  switch (static_cast<isa::Opcode>(isa::get(instruction, 0, 8))) {
    case isa::Opcode::kLoad: {
      isa::Load op = isa::Load::decode(instruction);
      const bool reads = op.valid_to > op.valid_from;
      const auto skipped = op.valid_from * static_cast<std::uint32_t>(op.src_stride0);
      if (reads) {
        compiler::link(op.src + skipped, op.src, op.window);
      } else {
        op.src = 0;
      }
      return op.encode();
    }
    case isa::Opcode::kStore: {
      isa::Store op = isa::Store::decode(instruction);
      compiler::link(op.dst, op.dst, op.window);
      return op.encode();
    }
    default: return instruction;
  }
}

}  // namespace systole::compiler
