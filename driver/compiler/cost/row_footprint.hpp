// SPDX-License-Identifier: Apache-2.0
// What an instruction reads and writes, derived from the instruction itself so that no kernel has to state it. The
// builder derives every dependency between engines from these spans.
#pragma once

#include <cstdint>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/kernel.hpp"
#include "systole/memories.hpp"

namespace systole::compiler {

/// Half-open range of rows; for kDevice, of bytes (window offsets). Ranges do not wrap: a span that crosses the end of
/// the weight ring is split in two.
struct Span {
  Memory memory = Memory::kScratchpad;
  bool is_write = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The rows and bytes that `instruction` reads and writes: exact per channel plane, image row and column; device memory
/// per run. Padding is not read and does not appear. JUMP, END and SYNC_* access nothing. For VECTOR, `kernels` is the
/// content of the kernel memory; without it, or where it is not known (kernel::kUnknownWord), VECTOR accesses all rows
/// that it could. Throws kernel::KernelFault for a kernel that cannot go on.
std::vector<Span> footprint(const isa::Instruction& instruction, const Configuration& configuration,
                            const std::vector<kernel::Word>* kernels = nullptr);

/// Engine that runs the instruction. Throws InvalidArgument on an unknown opcode.
isa::Engine engine_of(const isa::Instruction& instruction);

}  // namespace systole::compiler
