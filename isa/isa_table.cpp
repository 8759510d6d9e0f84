// SPDX-License-Identifier: Apache-2.0
// Access to the generated tables by opcode and by name.
#include <array>
#include <cstring>
#include <iterator>

#include "systole/errors.hpp"
#include "systole/generated/table.hpp"
#include "systole/isa_check.hpp"

namespace systole::isa {

const InstructionInfo* find_instruction(std::uint32_t opcode) {
  static const auto by_opcode = [] {
    std::array<const InstructionInfo*, 256> map{};
    for (const auto& info : table::kInstructions) {
      map[static_cast<std::uint8_t>(info.opcode)] = &info;
    }
    return map;
  }();
  return opcode < by_opcode.size() ? by_opcode[opcode] : nullptr;
}

const InstructionInfo* find_instruction(const Instruction& instruction) {
  return find_instruction(get(instruction, 0, 8));
}

const InstructionInfo* find_instruction(std::string_view name) {
  for (const auto& info : table::kInstructions) {
    if (name == info.name) {
      return &info;
    }
  }
  return nullptr;
}

const FieldInfo* find_field(const InstructionInfo& info, std::string_view name) {
  for (int f = 0; f < info.field_count; ++f) {
    if (name == info.fields[f].name) {
      return &info.fields[f];
    }
  }
  for (const auto& field : table::kHeaderFields) {
    if (name == field.name && (info.has_semaphores || name == "opcode")) {
      return &field;
    }
  }
  return nullptr;
}

long long field_value(const FieldInfo& field, const Instruction& instruction) {
  return field.is_signed ? static_cast<long long>(get_signed(instruction, field.lsb, field.width))
                         : static_cast<long long>(get(instruction, field.lsb, field.width));
}

void set_field(const FieldInfo& field, Instruction& instruction, long long value) {
  const long long low = field.is_signed ? -(1LL << (field.width - 1)) : 0;
  const long long high = (1LL << (field.is_signed ? field.width - 1 : field.width)) - 1;
  if (value < low || value > high) {
    throw OutOfRange(fmt::format("{} = {}: its {} bits hold {} .. {}", field.name, value, field.width, low, high));
  }
  const std::uint32_t mask = field.width == 32 ? ~0u : (1u << field.width) - 1;
  put(instruction, field.lsb, field.width, static_cast<std::uint32_t>(value) & mask);
}

Instruction reserved_bits(const InstructionInfo& info) {
  Instruction reserved;
  reserved.words.fill(~0u);
  const auto cover = [&](const FieldInfo& field) { put(reserved, field.lsb, field.width, 0); };
  for (const auto& field : table::kHeaderFields) {
    if (info.has_semaphores || std::strcmp(field.name, "opcode") == 0) {
      cover(field);
    }
  }
  for (int f = 0; f < info.field_count; ++f) {
    cover(info.fields[f]);
  }
  return reserved;
}

}  // namespace systole::isa
