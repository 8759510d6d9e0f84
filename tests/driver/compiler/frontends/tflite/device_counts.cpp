// SPDX-License-Identifier: Apache-2.0
#include "device_counts.hpp"

#include <fmt/core.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace systole::test {

DeviceCounts read_device_counts(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) {
    throw std::runtime_error(fmt::format("{} cannot be read", path.string()));
  }
  DeviceCounts counts;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.empty() || line[0] == '#') {
      continue;
    }
    std::istringstream words(line);
    std::string kind, rest;
    std::size_t count = 0;
    if (!(words >> kind >> count) || words >> rest || !counts.emplace(kind, count).second) {
      throw std::runtime_error(
          fmt::format("{}:{}: '{}'; a line is KIND COUNT, one for each kind", path.string(), number, line));
    }
  }
  return counts;
}

void write_device_counts(const std::filesystem::path& path, const DeviceCounts& counts) {
  std::ofstream file(path);
  file << "# Cases of TensorFlow Lite's operators with no operator on the host, by kind. Written by\n"
          "# test_tflite_operators_device --record.\n";
  for (const auto& [kind, count] : counts) {
    file << kind << ' ' << count << '\n';
  }
  if (!file.flush()) {
    throw std::runtime_error(fmt::format("{} cannot be written", path.string()));
  }
}

std::string count_difference(const DeviceCounts& recorded, const std::string& kind, std::size_t count) {
  const auto found = recorded.find(kind);
  if (found == recorded.end()) {
    return fmt::format("{} ran on the device alone, and no number is recorded; --record does it", count);
  }
  if (found->second == count) {
    return "";
  }
  return fmt::format("{} ran on the device alone, {} are recorded{}", count, found->second,
                     count > found->second ? "; --record does it" : "");
}

}  // namespace systole::test
