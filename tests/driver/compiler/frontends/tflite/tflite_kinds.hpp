// SPDX-License-Identifier: Apache-2.0
// The kinds of operators and their expected status: kinds.txt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace systole::test {

struct ExpectedKind {
  std::string group, name;
  std::size_t cases = 0;
  bool done = true;  ///< all cases are right; otherwise at least one is not
};

/// Throws std::runtime_error, naming the line, for an invalid list.
std::vector<ExpectedKind> read_kinds(const std::filesystem::path& path);

}  // namespace systole::test
