// SPDX-License-Identifier: Apache-2.0
// What the vector operations of kernels have been: every operation with every kind of source, every format loaded and
// stored with every kind of stride, every number of rows.
#pragma once

#include <fmt/core.h>

#include <set>
#include <string>

#include "systole/kernel_sequencer.hpp"

namespace systole::test {

class KernelCoverage {
 public:
  /// The operations of a kernel until its end or fault.
  void run(const std::vector<kernel::Word>& memory, std::uint32_t entry, const kernel::Arguments& arguments) {
    kernel::Sequencer sequencer(memory, entry, arguments);
    try {
      while (const kernel::VectorStep* step = sequencer.next()) note(*step);
    } catch (const kernel::KernelFault&) {}
  }

  /// What has not been, one item a line.
  std::string missing() const {
    std::string text;
    const auto check = [&](const std::string& item) {
      if (seen_.count(item) == 0) text += item + "\n";
    };
    for (const kernel::OpInfo& info : kernel::kOperations) {
      const bool two = info.group == kernel::Group::kVector2;
      if (info.group == kernel::Group::kLanes) check(std::string(info.name));
      if (!two && info.group != kernel::Group::kVector1) continue;
      check(fmt::format("{} stored", info.name));
      for (std::uint32_t kind = 0; kind < 4; ++kind) {
        check(fmt::format("{} a {}", info.name, kind));
        if (two) check(fmt::format("{} b {}", info.name, kind));
      }
    }
    for (int format = 0; format < 5; ++format) {
      for (const bool store : {false, true}) {
        for (int strides = 0; strides < (format == 2 || format == 3 ? 4 : 2); ++strides) {
          check(fmt::format("format {} store {} strides {}", format, store, strides));
        }
      }
    }
    for (int rows = 0; rows <= kernel::kStripRows; ++rows) check(fmt::format("rows {}", rows));
    check("ties away from zero");
    check("ties to even");
    return text;
  }

 private:
  void note(const kernel::VectorStep& step) {
    const kernel::Word word = step.word;
    seen_.insert(fmt::format("rows {}", step.rows));
    if (step.rows == 0) return;
    const std::string name(step.info->name);
    if (step.info->group == kernel::Group::kLanes) {
      seen_.insert(name);
      return;
    }
    seen_.insert(fmt::format("{} a {}", name, kernel::get(word, kernel::kAKindField)));
    seen_.insert(fmt::format("{} b {}", name, kernel::get(word, kernel::kBKindField)));
    if (step.memory.store) seen_.insert(name + " stored");
    if (step.has_memory) {
      const int strides = (kernel::get(word, kernel::kRowStrideField) != 0 ? 1 : 0) +
                          (kernel::get(word, kernel::kPlaneStrideField) != 0 ? 2 : 0);
      seen_.insert(fmt::format("format {} store {} strides {}", static_cast<int>(step.memory.format), step.memory.store,
                               strides));
    }
    if (step.info->op == kernel::Op::kShiftRound) {
      seen_.insert(kernel::get(word, kernel::kRoundingField) != 0 ? "ties to even" : "ties away from zero");
    }
  }

  std::set<std::string> seen_;
};

}  // namespace systole::test
