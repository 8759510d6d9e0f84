// SPDX-License-Identifier: Apache-2.0
#include "dependency_order.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <queue>

namespace systole::graph {
namespace {

/// Follows dependencies until an operator repeats.
std::vector<std::size_t> find_cycle(const std::vector<std::vector<std::size_t>>& dependencies,
                                    const std::vector<std::size_t>& waits_for) {
  std::size_t at = 0;
  while (waits_for[at] == 0) {
    ++at;
  }
  std::vector<std::size_t> path;
  std::vector<bool> seen(dependencies.size());
  while (!seen[at]) {
    seen[at] = true;
    path.push_back(at);
    at = *std::find_if(dependencies[at].begin(), dependencies[at].end(),
                       [&](std::size_t next) { return waits_for[next] > 0; });
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  return path;
}

}  // namespace

DependencyOrder dependency_order(const std::vector<std::vector<std::size_t>>& dependencies) {
  std::vector<std::size_t> waits_for(dependencies.size());
  std::vector<std::vector<std::size_t>> dependents(dependencies.size());
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>>
      ready;  // the smallest index first: the order of the file
  for (std::size_t i = 0; i < dependencies.size(); ++i) {
    waits_for[i] = dependencies[i].size();
    for (const std::size_t other : dependencies[i]) {
      dependents[other].push_back(i);
    }
    if (waits_for[i] == 0) {
      ready.push(i);
    }
  }
  DependencyOrder result;
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    result.order.push_back(next);
    for (const std::size_t dependent : dependents[next]) {
      if (--waits_for[dependent] == 0) {
        ready.push(dependent);
      }
    }
  }
  if (result.order.size() < dependencies.size()) {
    result.cycle = find_cycle(dependencies, waits_for);
  }
  return result;
}

std::string cycle_text(const std::vector<std::size_t>& cycle, const std::function<std::string(std::size_t)>& name) {
  constexpr std::size_t kMostNamed = 8;
  std::string text = name(cycle.at(0));
  if (cycle.size() == 1) {
    return text + " depends on its own result";
  }
  for (std::size_t i = 1; i < std::min(cycle.size(), kMostNamed); ++i) {
    text += fmt::format("{} depends on {}", i == 1 ? "" : ", which", name(cycle[i]));
  }
  if (cycle.size() > kMostNamed) {
    text += fmt::format(", ... ({} more)", cycle.size() - kMostNamed);
  }
  return text + fmt::format(", which depends on {}", name(cycle[0]));
}

}  // namespace systole::graph
