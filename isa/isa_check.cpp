// SPDX-License-Identifier: Apache-2.0
// The legality rules, interpreted from the tables. Each rule is written once and reports to a sink, which either notes
// that something is wrong or writes it down in full.
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "systole/errors.hpp"
#include "systole/generated/table.hpp"
#include "systole/isa_check.hpp"

namespace systole::isa {
namespace {

/// Base-2 logarithm of a product of fields, each rounded up to a power of two; `factors` is "a*b*c)".
long long log2_of_product(const InstructionInfo& info, std::string_view factors, const Instruction& instruction) {
  long long sum = 0;
  while (!factors.empty()) {
    const std::size_t length = factors.find_first_of("*)");
    const FieldInfo* field = find_field(info, std::string(factors.substr(0, length)).c_str());
    if (!field) {
      throw InternalError(fmt::format("{}: rule names the unknown factors {}", info.name, factors));
    }
    for (long long rest = field_value(*field, instruction) - 1; rest > 0; rest >>= 1) {
      ++sum;
    }
    factors.remove_prefix(length + 1);
  }
  return sum;
}

/// A rule's operand, as isa_table.hpp lists them.
long long operand(const InstructionInfo& info, const char* name, const Instruction& instruction, int dim) {
  if (std::strcmp(name, "DIM") == 0) {
    return dim;
  }
  if (std::strcmp(name, "DIM/4") == 0) {
    return dim / 4;
  }
  if (std::strcmp(name, "WINDOW_PIECE_BYTES") == 0) {
    return static_cast<long long>(kWindowPieceBeats) * dim;
  }
  constexpr const char* kColumns = "DEPTHWISE_COLUMNS/";
  if (std::strncmp(name, kColumns, std::strlen(kColumns)) == 0) {
    return kDepthwiseColumns / std::atoi(name + std::strlen(kColumns));
  }
  if (std::strcmp(name, "WORK_LOG2") == 0) {
    return kWorkLog2;
  }
  if (std::string_view(name).substr(0, 5) == "LOG2(") {
    return log2_of_product(info, name + 5, instruction);
  }
  if (std::isdigit(static_cast<unsigned char>(*name)) != 0) {
    return std::atoi(name);
  }
  const FieldInfo* field = find_field(info, name);
  if (!field) {
    throw InternalError(fmt::format("{}: rule names the unknown operand {}", info.name, name));
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
  throw InternalError(fmt::format("unknown operator {} in a rule", op));
}

/// True if the part with this number is needed (-1: none is) but missing.
bool lacks(PartSet parts, int part) { return part >= 0 && (parts >> part & 1) == 0; }

/// Calls report(field name, value, rule text function) for each violation until it answers false.
template <typename Report>
void visit(const Instruction& instruction, int dim, PartSet parts, Report report) {
  const InstructionInfo* info = find_instruction(instruction);
  if (!info) {
    report("opcode", get(instruction, 0, 8), [] { return std::string("no instruction has this opcode"); });
    return;
  }
  if (lacks(parts, info->part)) {
    report("opcode", get(instruction, 0, 8),
           [&] { return fmt::format("this core has no {}", kParts[static_cast<std::size_t>(info->part)].title); });
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
    if (rule.without >= 0 && !lacks(parts, rule.without)) {
      continue;
    }
    if (*rule.when_left && !compare(value_of(rule.when_left), rule.when_op, value_of(rule.when_right))) {
      continue;
    }
    const auto why = [&] { return fmt::format("{} ({} = {})", rule.doc, rule.right, value_of(rule.right)); };
    if (!compare(value_of(rule.left), rule.op, value_of(rule.right)) && !report(rule.left, value_of(rule.left), why)) {
      return;
    }
  }
}

}  // namespace

std::vector<Violation> check(const Instruction& instruction, int dim, PartSet parts) {
  std::vector<Violation> found;
  const InstructionInfo* info = find_instruction(instruction);
  visit(instruction, dim, parts, [&](const char* field, long long value, auto rule) {
    Violation v{field, value, rule(), {}};
    const bool bits = v.field == "opcode" || v.field == "reserved";
    v.text = fmt::format("{}{} = {}: {}", info ? fmt::format("{}.", info->name) : "", field,
                         bits ? fmt::format("0x{:x}", value) : fmt::format("{}", value), v.rule);
    found.push_back(std::move(v));
    return true;
  });
  return found;
}

std::optional<Part> missing_part(const Instruction& instruction, PartSet parts) {
  const InstructionInfo* info = find_instruction(instruction);
  if (!info) {
    return std::nullopt;
  }
  if (lacks(parts, info->part)) {
    return static_cast<Part>(info->part);
  }
  for (int r = 0; r < info->rule_count; ++r) {
    const Rule& rule = info->rules[r];
    const auto value_of = [&](const char* name) { return operand(*info, name, instruction, 0); };
    if (lacks(parts, rule.without) && !compare(value_of(rule.left), rule.op, value_of(rule.right))) {
      return static_cast<Part>(rule.without);
    }
  }
  return std::nullopt;
}

bool is_legal(const Instruction& instruction, int dim, PartSet parts) {
  bool legal = true;
  visit(instruction, dim, parts, [&](const char*, long long, auto) { return legal = false; });
  return legal;
}

}  // namespace systole::isa
