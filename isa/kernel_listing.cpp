// SPDX-License-Identifier: Apache-2.0
// Legality and text of single micro-instructions.
#include <fmt/format.h>

#include <array>
#include <cstddef>

#include "systole/kernel.hpp"

namespace systole::kernel {
namespace {

Source source_of(Word word, const Field& kind) { return static_cast<Source>(get(word, kind)); }

bool works_on_strips(Group group) {
  return group == Group::kVector1 || group == Group::kVector2 || group == Group::kLanes;
}

bool uses(Word word, Source source, Group group) {
  return (group != Group::kLanes && source_of(word, kAKindField) == source) ||
         (group == Group::kVector2 && source_of(word, kBKindField) == source);
}

bool in_memory(Word word, Group group) { return get(word, kStoreField) != 0 || uses(word, Source::kMemory, group); }

/// The bits that an operation uses.
Word used_bits(Word word, const OpInfo& info) {
  Word used = with(0, kOpField, ~0U);
  const auto add = [&](std::initializer_list<Field> fields) {
    for (const Field& field : fields) {
      used = with(used, field, ~0U);
    }
  };
  const Group group = info.group;
  if (info.op == Op::kLoop) {
    add({kAField, kImmediateField});
  } else if (info.op == Op::kRows) {
    add({kAField});
  } else if (info.op == Op::kSet) {
    add({kDField, kWideField});
  } else if (info.op == Op::kAddWide) {
    add({kDField, kAField, kWideField});
  } else if (group == Group::kScalar) {
    add({kDField, kAField, kBField});
  } else if (works_on_strips(group)) {
    add({kStoreField});
    if (get(word, kStoreField) == 0) {
      add({kDField});
    }
    const auto source = [&](const Field& field, const Field& kind) {
      add({kind});
      const Source from = source_of(word, kind);
      if (from == Source::kVector || from == Source::kScalar) {
        add({field});
      }
    };
    if (group == Group::kLanes) {
      add({kAField});
    } else {
      source(kAField, kAKindField);
    }
    if (group == Group::kVector2) {
      source(kBField, kBKindField);
    }
    if (uses(word, Source::kImmediate, group)) {
      add({kImmediateField});
    }
    if (in_memory(word, group)) {
      add({kFormatField, kBaseField, kRowStrideField});
      const auto format = static_cast<Format>(get(word, kFormatField));
      if (format == Format::kI16 || format == Format::kI32) {
        add({kPlaneStrideField});
      }
    }
    if (info.op == Op::kShiftRound) {
      add({kRoundingField});
    }
  }
  return used;
}

std::string memory_text(Word word) {
  const auto stride = [](std::uint32_t scalar) { return scalar == 0 ? std::string("1") : fmt::format("r{}", scalar); };
  const auto format = static_cast<Format>(get(word, kFormatField));
  const std::uint32_t rows = get(word, kRowStrideField), planes = get(word, kPlaneStrideField);
  std::string text = fmt::format("{}[r{}", to_string(format), get(word, kBaseField));
  if (rows != 0 || planes != 0) {
    text += ", " + stride(rows);
  }
  if (planes != 0) {
    text += ", " + stride(planes);
  }
  return text + "]";
}

std::string source_text(Word word, const Field& field, const Field& kind) {
  switch (source_of(word, kind)) {
    case Source::kVector: return fmt::format("v{}", get(word, field));
    case Source::kScalar: return fmt::format("r{}", get(word, field));
    case Source::kImmediate: return fmt::format("{}", get_signed(word, kImmediateField));
    case Source::kMemory: return memory_text(word);
  }
  return "?";
}

}  // namespace

const OpInfo* find(Word word) {
  // By number: programs are checked and timed word by word.
  static const auto kByNumber = [] {
    std::array<const OpInfo*, std::size_t{1} << kOpField.width> table{};
    for (const OpInfo& info : kOperations) {
      table.at(static_cast<std::size_t>(info.op)) = &info;
    }
    return table;
  }();
  return kByNumber[get(word, kOpField)];
}

bool has_memory(Word word) { return in_memory(word, find(word)->group); }

bool reads_before_writing(const std::vector<Word>& words) {
  std::array<bool, kVectors> written{};
  for (const Word word : words) {
    const Group group = find(word)->group;
    if (!works_on_strips(group)) {
      continue;
    }
    const auto reads = [&](const Field& field, bool is_vector) { return is_vector && !written.at(get(word, field)); };
    const bool first = group == Group::kLanes || source_of(word, kAKindField) == Source::kVector;
    const bool second = group == Group::kVector2 && source_of(word, kBKindField) == Source::kVector;
    if (reads(kAField, first) || reads(kBField, second)) {
      return true;
    }
    if (get(word, kStoreField) == 0) {
      written.at(get(word, kDField)) = true;
    }
  }
  return false;
}

std::string illegal(Word word) {
  const OpInfo* info = find(word);
  if (info == nullptr) {
    return fmt::format("there is no operation {}", get(word, kOpField));
  }
  if (info->group == Group::kLanes && get(word, kStoreField) != 0) {
    return fmt::format("{}: its result goes to a register, not to memory", info->name);
  }
  if (const Word stray = word & ~used_bits(word, *info); stray != 0) {
    return fmt::format("{}: bits {:#018x} are not used and must be zero", info->name, stray);
  }
  if (works_on_strips(info->group)) {
    const bool loads = uses(word, Source::kMemory, info->group);
    if (loads && get(word, kStoreField) != 0) {
      return fmt::format("{}: a source and the result are in memory; only one may be", info->name);
    }
    if (info->group == Group::kVector2 && source_of(word, kAKindField) == Source::kMemory &&
        source_of(word, kBKindField) == Source::kMemory) {
      return fmt::format("{}: both sources are in memory; only one may be", info->name);
    }
    if (in_memory(word, info->group) && get(word, kFormatField) > static_cast<std::uint32_t>(Format::kBlocks)) {
      return fmt::format("{}: there is no memory format {}", info->name, get(word, kFormatField));
    }
  }
  return {};
}

std::string disassemble(Word word) {
  const OpInfo* info = find(word);
  if (info == nullptr || !illegal(word).empty()) {
    return fmt::format("illegal {:#018x}", word);
  }
  const std::uint32_t d = get(word, kDField), a = get(word, kAField), b = get(word, kBField);
  const std::string name(info->name);
  switch (info->op) {
    case Op::kEnd: return name;
    case Op::kLoop: return fmt::format("{} r{}, {} words", name, a, get(word, kImmediateField));
    case Op::kRows: return fmt::format("{} r{}", name, a);
    case Op::kSet: return fmt::format("{} r{}, {:#x}", name, d, get(word, kWideField));
    case Op::kAddWide: return fmt::format("add r{}, r{}, {}", d, a, get_signed(word, kWideField));
    default: break;
  }
  if (info->group == Group::kScalar) {
    return fmt::format("{} r{}, r{}, r{}", name, d, a, b);
  }
  const std::string suffix = get(word, kRoundingField) != 0 ? ".even" : "";
  const std::string to = get(word, kStoreField) != 0 ? memory_text(word) : fmt::format("v{}", d);
  std::string text = fmt::format("{}{} {}, ", name, suffix, to);
  text += info->group == Group::kLanes ? fmt::format("v{}", a) : source_text(word, kAField, kAKindField);
  return info->group == Group::kVector2 ? text + ", " + source_text(word, kBField, kBKindField) : text;
}

}  // namespace systole::kernel
