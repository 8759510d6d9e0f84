// SPDX-License-Identifier: Apache-2.0
// What the micro-instructions of a kernel are when it runs, as cells of the tables of functional coverage
// (tests/coverage/functional.toml): every operation with every kind of source, every format loaded and stored with
// every kind of stride, every number of rows.
#pragma once

#include <fmt/core.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "systole/kernel_sequencer.hpp"

namespace systole::test {

/// Row and column.
using KernelUses = std::set<std::pair<std::string, std::string>>;

inline void add_uses(const kernel::VectorStep& step, KernelUses& uses) {
  constexpr const char* kSources[] = {"vector", "scalar", "immediate", "memory"};
  const kernel::Word word = step.word;
  uses.insert({"strip", fmt::format("{} rows", step.rows)});
  if (step.rows == 0) return;
  const std::string name(step.info->name);
  uses.insert({name, fmt::format("a {}", kSources[kernel::get(word, kernel::kAKindField)])});
  if (step.info->group == kernel::Group::kVector2) {
    uses.insert({name, fmt::format("b {}", kSources[kernel::get(word, kernel::kBKindField)])});
  }
  if (step.memory.store) uses.insert({name, "stored"});
  if (step.has_memory) {
    const bool rows = kernel::get(word, kernel::kRowStrideField) != 0;
    const bool planes = kernel::get(word, kernel::kPlaneStrideField) != 0;
    uses.insert({to_string(step.memory.format), fmt::format("{}{}{}", step.memory.store ? "store" : "load",
                                                            rows ? ", rows" : "", planes ? ", planes" : "")});
  }
  if (step.info->op == kernel::Op::kShiftRound) {
    uses.insert({"ties", kernel::get(word, kernel::kRoundingField) != 0 ? "to even" : "away from zero"});
  }
}

/// Of the words from `entry` to the kernel's end or fault.
inline KernelUses uses_of(const std::vector<kernel::Word>& memory, std::uint32_t entry,
                          const kernel::Arguments& arguments) {
  KernelUses uses;
  kernel::Sequencer sequencer(memory, entry, arguments);
  try {
    while (const kernel::VectorStep* step = sequencer.next()) add_uses(*step, uses);
  } catch (const kernel::KernelFault&) {}
  for (std::uint32_t at = entry; at <= sequencer.last(); ++at) {
    const kernel::OpInfo* info = kernel::find(memory[at]);
    const bool scalar = info && (info->group == kernel::Group::kControl || info->group == kernel::Group::kScalar ||
                                 info->group == kernel::Group::kScalarWide);
    if (scalar) uses.insert({std::string(info->name), "reached"});
  }
  return uses;
}

}  // namespace systole::test
