// SPDX-License-Identifier: Apache-2.0
// Random instructions drawn from the tables.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

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

/// The fields of a rule's "LOG2(a*b*c)"; empty for other operands.
inline std::vector<std::string> factors_of(std::string_view operand) {
  std::vector<std::string> names;
  if (operand.substr(0, 5) != "LOG2(") {
    return names;
  }
  for (operand.remove_prefix(5); !operand.empty(); operand.remove_prefix(operand.find_first_of("*)") + 1)) {
    names.emplace_back(operand.substr(0, operand.find_first_of("*)")));
  }
  return names;
}

/// Draws again the fields whose product a rule bounds, so that they satisfy it; an independent draw almost never would.
inline void bound_work(const isa::InstructionInfo& info, isa::Instruction& instruction, std::mt19937_64& random) {
  for (int r = 0; r < info.rule_count; ++r) {
    const auto names = factors_of(info.rules[r].left);
    for (const std::string& name : names) {
      const isa::FieldInfo& field = *isa::find_field(info, name.c_str());
      const auto bits = random() % (static_cast<unsigned>(isa::kWorkLog2) / names.size() + 1);
      const auto value = 1 + static_cast<long long>(random() % (1u << bits));
      isa::set_field(field, instruction, std::clamp(value, field.min, field.max));
    }
  }
}

/// Draws again fields that must not exceed another one, the later rules first since the earlier ones build on them.
inline void order_fields(const isa::InstructionInfo& info, isa::Instruction& instruction, std::mt19937_64& random) {
  for (int r = info.rule_count - 1; r >= 0; --r) {
    const isa::Rule& rule = info.rules[r];
    const isa::FieldInfo* left = isa::find_field(info, rule.left);
    const isa::FieldInfo* right = isa::find_field(info, rule.right);
    if (left && right && *rule.when_left == '\0' && std::string_view(rule.op) == "<=") {
      const long long most = isa::field_value(*right, instruction);
      isa::set_field(*left, instruction,
                     std::uniform_int_distribution<long long>(left->min, std::max(left->min, most))(random));
    }
  }
}

/// Fields that independent draws would almost never make legal: lane, and those of rows that are turned.
inline void fit_load(const isa::InstructionInfo& info, isa::Instruction& instruction, int dim,
                     std::mt19937_64& random) {
  const auto set = [&](const char* field, long long value) {
    isa::set_field(*isa::find_field(info, field), instruction, value);
  };
  const long long turn = isa::field_value(*isa::find_field(info, "turn"), instruction);
  set("lane", turn != 0 ? 0 : static_cast<long long>(random() % static_cast<unsigned>(dim)));
  if (turn == 0) {
    return;
  }
  set("space", static_cast<long long>(random() % 2));
  set("pieces", 1);
  set("slot_bytes", dim);
  set("piece_bytes", static_cast<long long>(random() % static_cast<unsigned>(dim + 1)));
  set("count0", turn == 1 ? dim : dim / 4);
  const long long valid = static_cast<long long>(random() % static_cast<unsigned>(dim / 4 + 1));
  set("valid_from", 0);
  set("valid_to", valid);
}

/// As random_in_range(), drawn again until it is legal.
inline isa::Instruction random_legal(const isa::InstructionInfo& info, int dim, std::mt19937_64& random) {
  for (;;) {
    isa::Instruction instruction = random_in_range(info, random);
    bound_work(info, instruction, random);
    order_fields(info, instruction, random);
    if (info.opcode == isa::Opcode::kLoad) {
      fit_load(info, instruction, dim, random);
    }
    if (isa::is_legal(instruction, dim)) {
      return instruction;
    }
  }
}

}  // namespace systole::test
