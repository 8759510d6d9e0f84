// SPDX-License-Identifier: Apache-2.0
// Disassembly: one line of text per instruction, for listings, error messages and traces.
#pragma once

#include <string>

#include "systole/bits.hpp"

namespace systole::isa {

/// For example `LOAD src=0x100 run_bytes=64 space=WEIGHT pieces=1 ... wait(3,1) signal(4,1)`. Fields that are zero are
/// omitted, so that the line is complete; enumerations are never omitted. 32-bit unsigned fields are hexadecimal.
/// Reserved bits that are set follow as `reserved(word,0xbits)`. An unknown opcode is printed as `UNKNOWN` with the
/// sixteen words.
std::string disassemble(const Instruction& instruction);

}  // namespace systole::isa
