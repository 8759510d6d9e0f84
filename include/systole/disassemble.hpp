// SPDX-License-Identifier: Apache-2.0
// One line of text per instruction, for listings, error messages and traces.
#pragma once

#include <string>

#include "systole/bits.hpp"

namespace systole::isa {

/// E.g. `LOAD src=0x100 run_bytes=64 space=WEIGHT pieces=1 ... wait(3,1) signal(4,1)`. Fields that are zero are left
/// out (so the line holds everything); 32-bit unsigned fields are hexadecimal, enumerations are named and never left
/// out. Reserved bits that are set follow as `reserved(word,0xbits)`. An unknown opcode gives `UNKNOWN` and the sixteen
/// words.
std::string disassemble(const Instruction& instruction);

}  // namespace systole::isa
