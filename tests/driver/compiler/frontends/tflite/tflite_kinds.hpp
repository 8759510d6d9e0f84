// SPDX-License-Identifier: Apache-2.0
// Which kinds there are, and what is expected of them: kinds.txt.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace systole::test {

struct ExpectedKind {
  std::string group, name;
  std::size_t cases = 0;
  bool done = true;  ///< all cases are right; otherwise at least one is not yet
};

/// Throws std::runtime_error, naming the line, for a list that is not as kinds.txt says.
std::vector<ExpectedKind> read_kinds(const std::filesystem::path& path);

}  // namespace systole::test
