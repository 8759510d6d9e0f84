// SPDX-License-Identifier: Apache-2.0
// What an instruction reads and writes, derived from the instruction itself, so that a kernel never states it and
// cannot state it wrongly. The builder finds every dependency between engines from these spans.
#pragma once

#include <cstdint>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/memories.hpp"

namespace systole::compiler {

/// Half-open range of rows; of bytes (window offsets) for kDevice. Ranges do not wrap: a span of the weight ring that
/// crosses its end is given in two parts.
struct Span {
  Memory memory = Memory::kScratchpad;
  bool is_write = false;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// The rows and bytes that `instruction` touches: exact per channel plane, image row and column; device memory per run.
/// Positions that lie in padding are not read and do not appear. JUMP, END and SYNC_* touch nothing.
std::vector<Span> footprint(const isa::Instruction& instruction, const Configuration& configuration);

/// Engine that runs the instruction. Throws std::invalid_argument on an unknown opcode.
isa::Engine engine_of(const isa::Instruction& instruction);

}  // namespace systole::compiler
