// SPDX-License-Identifier: Apache-2.0
// Random instructions drawn from the tables.
#pragma once

#include <random>

#include "systole/generated/table.hpp"
#include "systole/isa_check.hpp"

namespace systole::test {

/// Every field within its own legal range; combinations may still break a rule.
inline isa::Instruction random_in_range(const isa::InstructionInfo& info, std::mt19937_64& random) {
  isa::Instruction instruction;
  isa::put(instruction, 0, 8, static_cast<std::uint32_t>(info.opcode));
  const auto draw = [&](const isa::FieldInfo& field) {
    const long long steps = (field.max - field.min) / field.align;
    const long long value = field.min + field.align * std::uniform_int_distribution<long long>(0, steps)(random);
    isa::set_field(field, instruction, value);
  };
  if (info.has_semaphores) {
    for (const auto& field : isa::table::kHeaderFields) {
      if (field.lsb != 0) {
        draw(field);
      }
    }
  }
  for (int f = 0; f < info.field_count; ++f) {
    draw(info.fields[f]);
  }
  return instruction;
}

/// As random_in_range(), drawn again until it is legal.
inline isa::Instruction random_legal(const isa::InstructionInfo& info, int dim, std::mt19937_64& random) {
  for (;;) {
    isa::Instruction instruction = random_in_range(info, random);
    if (info.opcode == isa::Opcode::kLoad) {  // a free draw of lane would nearly never be below DIM
      isa::set_field(*isa::find_field(info, "lane"), instruction, static_cast<long long>(random() % static_cast<unsigned>(dim)));
    }
    if (isa::is_legal(instruction, dim)) {
      return instruction;
    }
  }
}

}  // namespace systole::test
