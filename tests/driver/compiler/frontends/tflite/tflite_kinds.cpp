// SPDX-License-Identifier: Apache-2.0
#include "tflite_kinds.hpp"

#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace systole::test {

std::vector<ExpectedKind> read_kinds(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
  }
  std::vector<ExpectedKind> kinds;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream words(line);
    ExpectedKind kind;
    std::string state;
    if (!(words >> kind.group >> kind.name >> kind.cases) || (words >> state && state != "unfinished")) {
      throw std::runtime_error(
          fmt::format("{}:{}: '{}'; a line is GROUP KIND CASES [unfinished]", path.string(), number, line));
    }
    kind.done = state.empty();
    kinds.push_back(kind);
  }
  return kinds;
}

}  // namespace systole::test
