// SPDX-License-Identifier: Apache-2.0
// Operators of a file in an order in which they can run.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace systole::graph {

struct DependencyOrder {
  std::vector<std::size_t> order;  ///< each behind all that it depends on; as given, where that is such an order
  /// Where there is no such order: some that depend on each other, each on the next, the last on the first.
  std::vector<std::size_t> cycle;
};

/// `dependencies[i]` are those that i depends on, all of them below dependencies.size().
DependencyOrder dependency_order(const std::vector<std::vector<std::size_t>>& dependencies);

/// "a takes of b, which takes of c, which takes of a"; of long ones the first. `name` is asked for the text of each.
std::string cycle_text(const std::vector<std::size_t>& cycle, const std::function<std::string(std::size_t)>& name);

}  // namespace systole::graph
