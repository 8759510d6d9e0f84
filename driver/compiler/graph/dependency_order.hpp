// SPDX-License-Identifier: Apache-2.0
// Topological order of the operators of a file.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace systole::graph {

struct DependencyOrder {
  std::vector<std::size_t> order;  ///< each operator after its dependencies; the given order if it is already valid
  /// If no such order exists: a cycle, each operator depending on the next, the last on the first.
  std::vector<std::size_t> cycle;
};

/// `dependencies[i]` are the operators that i depends on, all below dependencies.size().
DependencyOrder dependency_order(const std::vector<std::vector<std::size_t>>& dependencies);

/// "a depends on b, which depends on c, which depends on a"; only the first ones of a long cycle. `name` returns the
/// text of each.
std::string cycle_text(const std::vector<std::size_t>& cycle, const std::function<std::string(std::size_t)>& name);

}  // namespace systole::graph
