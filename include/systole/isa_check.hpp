// SPDX-License-Identifier: Apache-2.0
// Legality of a single instruction, decided from the generated tables alone, so that it is the decoder's rule
// (rtl/pkg/tpu_legal.sv is generated from the same data) and can say in words what is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systole/bits.hpp"
#include "systole/generated/isa.hpp"
#include "systole/isa_table.hpp"

namespace systole::isa {

/// One thing that makes an instruction illegal.
struct Violation {
  std::string field;    ///< name of the field, "opcode", or "reserved"
  long long value = 0;  ///< what it holds (for "reserved": the set bits of the first offending word)
  std::string rule;     ///< legal range, or the rule that is broken
  std::string text;     ///< all of it in a sentence, e.g. "LOAD.lane = 17: lane is not below DIM (16)"
};

/// Table entry of an opcode, or nullptr when it is unknown.
const InstructionInfo* find_instruction(std::uint32_t opcode);

/// Table entry of an instruction's opcode, or nullptr.
const InstructionInfo* find_instruction(const Instruction& instruction);

/// Table entry of an instruction by its name in the specification ("CONV"), or nullptr.
const InstructionInfo* find_instruction(std::string_view name);

/// A field of the instruction or of the common header, or nullptr.
const FieldInfo* find_field(const InstructionInfo& info, std::string_view name);

/// The field's value, sign-extended when the field is signed.
long long field_value(const FieldInfo& field, const Instruction& instruction);

/// Writes a field given in either form. Throws OutOfRange when the value does not fit its bits.
void set_field(const FieldInfo& field, Instruction& instruction, long long value);

/// Bits of the instruction that no field covers, and that are therefore zero in a legal instruction.
Instruction reserved_bits(const InstructionInfo& info);

/// Everything that is illegal in `instruction` on a machine of array side `dim`; empty when it is legal.
std::vector<Violation> check(const Instruction& instruction, int dim);

/// As check(instruction, dim).empty(), but without building texts.
bool is_legal(const Instruction& instruction, int dim);

}  // namespace systole::isa
