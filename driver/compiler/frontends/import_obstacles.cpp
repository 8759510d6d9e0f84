// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "systole/import_model.hpp"

namespace systole::graph {

std::string summary(const std::vector<Obstacle>& obstacles) {
  if (obstacles.size() == 1) {
    return obstacles[0].text;
  }
  std::vector<std::pair<std::string, std::size_t>> kinds;  // in order of first occurrence
  for (const Obstacle& obstacle : obstacles) {
    const std::string kind =
        obstacle.type.empty() ? obstacle.kind : fmt::format("{} ({})", obstacle.type, obstacle.kind);
    const auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& known) { return known.first == kind; });
    if (found == kinds.end()) {
      kinds.emplace_back(kind, 1);
    } else {
      ++found->second;
    }
  }
  std::string text = fmt::format("{} obstacles: ", obstacles.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    text += fmt::format("{}{} x {}", i == 0 ? "" : ", ", kinds[i].second, kinds[i].first);
  }
  return text + fmt::format("; systole inspect lists them. The first: {}", obstacles[0].text);
}

}  // namespace systole::graph
