// SPDX-License-Identifier: Apache-2.0
// Checks the legality of a single instruction with the generated tables. rtl/pkg/tpu_legal.sv is generated from the
// same data, so these are the rules of the decoder. Violations are reported as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systole/bits.hpp"
#include "systole/generated/isa.hpp"
#include "systole/generated/parts.hpp"
#include "systole/isa_table.hpp"

namespace systole::isa {

/// A rule that an instruction violates.
struct Violation {
  std::string field;    ///< name of the field, "opcode", or "reserved"
  long long value = 0;  ///< value of the field (for "reserved": the set bits of the first word that has any)
  std::string rule;     ///< the legal range, or the violated rule
  std::string text;     ///< the full message, for example "LOAD.lane = 17: lane is not below DIM (16)"
};

/// Table entry of an opcode, or nullptr when it is unknown.
const InstructionInfo* find_instruction(std::uint32_t opcode);

/// Table entry of an instruction's opcode, or nullptr.
const InstructionInfo* find_instruction(const Instruction& instruction);

/// Table entry of an instruction by its name in the specification ("CONV"), or nullptr.
const InstructionInfo* find_instruction(std::string_view name);

/// A field of the instruction or of the common header by its name, or nullptr.
const FieldInfo* find_field(const InstructionInfo& info, std::string_view name);

/// The field's value, sign-extended when the field is signed.
long long field_value(const FieldInfo& field, const Instruction& instruction);

/// Writes a signed or unsigned field. Throws OutOfRange when the value does not fit its bits.
void set_field(const FieldInfo& field, Instruction& instruction, long long value);

/// The bits of the instruction that belong to no field and must be zero.
Instruction reserved_bits(const InstructionInfo& info);

/// All rules that `instruction` violates on a machine with a `dim` x `dim` array and these parts; empty when it is
/// legal.
std::vector<Violation> check(const Instruction& instruction, int dim, PartSet parts = kAllParts);

/// The first part that `instruction` needs and `parts` lack, if there is one.
std::optional<Part> missing_part(const Instruction& instruction, PartSet parts);

/// As check(instruction, dim, parts).empty(), but without creating texts.
bool is_legal(const Instruction& instruction, int dim, PartSet parts = kAllParts);

}  // namespace systole::isa
