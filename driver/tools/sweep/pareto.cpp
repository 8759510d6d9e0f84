// SPDX-License-Identifier: Apache-2.0
#include "pareto.hpp"

#include <algorithm>

namespace systole::cli {
namespace {

bool dominates(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) {
      return false;
    }
    better = better || a[i] < b[i];
  }
  return better;
}

}  // namespace

std::vector<bool> pareto_front(const std::vector<std::vector<double>>& designs) {
  std::vector<bool> front;
  front.reserve(designs.size());
  for (const auto& design : designs) {
    front.push_back(
        std::none_of(designs.begin(), designs.end(), [&](const auto& other) { return dominates(other, design); }));
  }
  return front;
}

}  // namespace systole::cli
