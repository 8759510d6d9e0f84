// SPDX-License-Identifier: Apache-2.0
// The legality rules, interpreted from the tables. Each rule is written once and reports to a sink, which either notes
// that something is wrong or writes it down in full.
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "systole/generated/table.hpp"
#include "systole/isa_check.hpp"

namespace systole::isa {
namespace {

/// A rule's operand: a field of the instruction, a number, a symbol that depends on the configuration, or a share of a constant.
long long operand(const InstructionInfo& info, const char* name, const Instruction& instruction, int dim) {
  if (std::strcmp(name, "DIM") == 0) {
    return dim;
  }
  if (std::strcmp(name, "WINDOW_PIECE_BYTES") == 0) {
    return static_cast<long long>(kWindowPieceBeats) * dim;
  }
  constexpr const char* kColumns = "DEPTHWISE_COLUMNS/";
  if (std::strncmp(name, kColumns, std::strlen(kColumns)) == 0) {
    return kDepthwiseColumns / std::atoi(name + std::strlen(kColumns));
  }
  if (std::isdigit(static_cast<unsigned char>(*name)) != 0) {
    return std::atoi(name);
  }
  const FieldInfo* field = find_field(info, name);
  if (!field) {
    throw std::logic_error(fmt::format("{}: rule names the unknown operand {}", info.name, name));
  }
  return field_value(*field, instruction);
}

bool compare(long long left, const char* op, long long right) {
  if (std::strcmp(op, "<") == 0) {
    return left < right;
  }
  if (std::strcmp(op, "<=") == 0) {
    return left <= right;
  }
  if (std::strcmp(op, "==") == 0) {
    return left == right;
  }
  throw std::logic_error(fmt::format("unknown operator {} in a rule", op));
}

/// Calls report(field name, value, rule text function) for each violation until it answers false.
template <typename Report>
void visit(const Instruction& instruction, int dim, Report report) {
  const InstructionInfo* info = find_instruction(instruction);
  if (!info) {
    report("opcode", get(instruction, 0, 8), [] { return std::string("no instruction has this opcode"); });
    return;
  }
  const Instruction reserved = reserved_bits(*info);
  for (std::size_t w = 0; w < reserved.words.size(); ++w) {
    const std::uint32_t bits = reserved.words[w] & instruction.words[w];
    if (bits && !report("reserved", bits, [w] { return fmt::format("bits set in word {}, where none may be", w); })) {
      return;
    }
  }
  const auto legal_range = [](const FieldInfo& f) {
    return fmt::format("{} .. {}{}", f.min, f.max, f.align == 1 ? "" : fmt::format(", multiple of {}", f.align));
  };
  for (int f = 0; f < info->field_count; ++f) {
    const FieldInfo& field = info->fields[f];
    const long long value = field_value(field, instruction);
    const bool in_range = value >= field.min && value <= field.max && value % field.align == 0;
    if (!in_range && !report(field.name, value, [&] { return "legal: " + legal_range(field); })) {
      return;
    }
  }
  const auto value_of = [&](const char* name) { return operand(*info, name, instruction, dim); };
  if (info->has_semaphores) {
    for (const auto& rule : table::kHeaderRules) {
      const bool both = value_of(rule.amount0) != 0 && value_of(rule.amount1) != 0;
      if (both && value_of(rule.selector0) == value_of(rule.selector1) &&
          !report(rule.selector1, value_of(rule.selector1), [&] { return std::string(rule.doc); })) {
        return;
      }
    }
  }
  for (int r = 0; r < info->rule_count; ++r) {
    const Rule& rule = info->rules[r];
    if (*rule.when_left && !compare(value_of(rule.when_left), rule.when_op, value_of(rule.when_right))) {
      continue;
    }
    const auto why = [&] { return fmt::format("{} ({} = {})", rule.doc, rule.right, value_of(rule.right)); };
    if (!compare(value_of(rule.left), rule.op, value_of(rule.right)) &&
        !report(rule.left, value_of(rule.left), why)) {
      return;
    }
  }
}

}  // namespace

std::vector<Violation> check(const Instruction& instruction, int dim) {
  std::vector<Violation> found;
  const InstructionInfo* info = find_instruction(instruction);
  visit(instruction, dim, [&](const char* field, long long value, auto rule) {
    Violation v{field, value, rule(), {}};
    const bool bits = v.field == "opcode" || v.field == "reserved";
    v.text = fmt::format("{}{} = {}: {}", info ? fmt::format("{}.", info->name) : "", field,
                         bits ? fmt::format("0x{:x}", value) : fmt::format("{}", value), v.rule);
    found.push_back(std::move(v));
    return true;
  });
  return found;
}

bool is_legal(const Instruction& instruction, int dim) {
  bool legal = true;
  visit(instruction, dim, [&](const char*, long long, auto) { return legal = false; });
  return legal;
}

}  // namespace systole::isa
