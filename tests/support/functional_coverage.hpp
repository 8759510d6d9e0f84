// SPDX-License-Identifier: Apache-2.0
// Functional coverage: tests report what they have run on the RTL, scripts/coverage prints the table. Nothing happens
// unless the environment variable SYSTOLE_COVERAGE_DIR names a directory.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace systole::test {

/// Shape class by the extents that are divided into blocks of the array's size: "single" has an extent of 1, "large"
/// one of more than eight blocks, "aligned" only whole blocks; the others are "ragged". The first that applies, large
/// first.
inline std::string_view shape_class(int dim, const std::vector<int>& extents) {
  if (*std::max_element(extents.begin(), extents.end()) > 8 * dim) return "large";
  if (*std::min_element(extents.begin(), extents.end()) == 1) return "single";
  const bool whole = std::all_of(extents.begin(), extents.end(), [dim](int extent) { return extent % dim == 0; });
  return whole ? "aligned" : "ragged";
}

/// Reports a finished run. `operation`: an operator, or the engine that reported an error. `error`: name of an
/// ErrorCode.
inline void ran(std::string_view operation, std::string_view shape, bool stalled, std::string_view error) {
  const char* directory = std::getenv("SYSTOLE_COVERAGE_DIR");
  if (!directory) return;
  std::filesystem::create_directories(directory);
  std::ofstream out(std::filesystem::path(directory) / (std::to_string(getpid()) + ".functional"), std::ios::app);
  out << operation << '\t' << shape << '\t' << (stalled ? "stalled" : "free") << '\t' << error << '\n';
}

}  // namespace systole::test
