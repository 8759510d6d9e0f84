// SPDX-License-Identifier: Apache-2.0
#include "systole/disassemble.hpp"

#include <fmt/core.h>

#include <cstring>

#include "systole/isa_check.hpp"

namespace systole::isa {
namespace {

std::string value_text(const FieldInfo& field, long long value) {
  if (std::strcmp(field.enum_name, "Space") == 0 && value <= field.max) {
    return to_string(static_cast<Space>(value));
  }
  if (std::strcmp(field.enum_name, "Rounding") == 0 && value <= field.max) {
    return to_string(static_cast<Rounding>(value));
  }
  if (std::strcmp(field.enum_name, "Turn") == 0 && value <= field.max) {
    return to_string(static_cast<Turn>(value));
  }
  const bool address = field.width == 32 && !field.is_signed;
  return address ? fmt::format("0x{:x}", value) : fmt::format("{}", value);
}

}  // namespace

std::string disassemble(const Instruction& instruction) {
  const InstructionInfo* info = find_instruction(instruction);
  if (!info) {
    std::string text = "UNKNOWN";
    for (const std::uint32_t word : instruction.words) {
      text += fmt::format(" {:08x}", word);
    }
    return text;
  }
  std::string text = info->name;
  for (int f = 0; f < info->field_count; ++f) {
    const long long value = field_value(info->fields[f], instruction);
    const std::string written = value_text(info->fields[f], value);
    if (value != 0 || (*info->fields[f].enum_name && written != "NONE")) {
      text += fmt::format(" {}={}", info->fields[f].name, written);
    }
  }
  if (info->has_semaphores) {
    const Semaphores s = decode_semaphores(instruction);
    const auto add = [&](const char* what, int semaphore, int amount) {
      if (semaphore || amount) {
        text += fmt::format(" {}({},{})", what, semaphore, amount);
      }
    };
    add("wait", s.wait0_sem, s.wait0_amount);
    add("wait", s.wait1_sem, s.wait1_amount);
    add("signal", s.signal0_sem, s.signal0_amount);
    add("signal", s.signal1_sem, s.signal1_amount);
  }
  const Instruction reserved = reserved_bits(*info);
  for (std::size_t w = 0; w < reserved.words.size(); ++w) {
    if (const std::uint32_t bits = reserved.words[w] & instruction.words[w]) {
      text += fmt::format(" reserved({},0x{:x})", w, bits);
    }
  }
  return text;
}

}  // namespace systole::isa
