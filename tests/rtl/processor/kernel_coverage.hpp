// SPDX-License-Identifier: Apache-2.0
// What the vector operations of kernels have been, and what of it random kernels must reach.
#pragma once

#include <fmt/core.h>

#include <string>

#include "kernel_use.hpp"

namespace systole::test {

class KernelCoverage {
 public:
  /// The operations of a kernel until its end or fault.
  void run(const std::vector<kernel::Word>& memory, std::uint32_t entry, const kernel::Arguments& arguments) {
    seen_.merge(uses_of(memory, entry, arguments));
  }

  /// What has not been, one item a line.
  std::string missing() const {
    std::string text;
    const auto check = [&](const std::string& row, const std::string& column) {
      if (seen_.count({row, column}) == 0) text += row + " " + column + "\n";
    };
    for (const kernel::OpInfo& info : kernel::kOperations) {
      const std::string name(info.name);
      const bool two = info.group == kernel::Group::kVector2;
      if (info.group == kernel::Group::kLanes) check(name, "a vector");
      if (!two && info.group != kernel::Group::kVector1) continue;
      check(name, "stored");
      for (const char* source : {"vector", "scalar", "immediate", "memory"}) {
        check(name, fmt::format("a {}", source));
        if (two) check(name, fmt::format("b {}", source));
      }
    }
    for (const char* format : {"i8", "u8", "i16", "i32", "acc"}) {
      const bool planes = format == std::string("i16") || format == std::string("i32");
      for (const char* way : {"load", "store"}) {
        check(format, way);
        check(format, fmt::format("{}, rows", way));
        if (planes) check(format, fmt::format("{}, planes", way));
        if (planes) check(format, fmt::format("{}, rows, planes", way));
      }
    }
    for (int rows = 0; rows <= kernel::kStripRows; ++rows) check("strip", fmt::format("{} rows", rows));
    check("ties", "away from zero");
    check("ties", "to even");
    return text;
  }

 private:
  KernelUses seen_;
};

}  // namespace systole::test
