// SPDX-License-Identifier: Apache-2.0
#include "reshape_before.hpp"

#include <algorithm>
#include <numeric>

namespace systole::graph {
namespace {

/// The axes longer than 1, in this order.
Permutation longer(const Shape& shape, const Permutation& axes) {
  Permutation result;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(result),
               [&](int axis) { return shape[static_cast<std::size_t>(axis)] != 1; });
  return result;
}

Permutation in_order(std::size_t rank) {
  Permutation axes(rank);
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

/// Axes of the operand, and those of the result that hold the same elements.
struct Group {
  Permutation from, to;
};

/// Divides both lists of axes into the smallest groups of equal sizes.
std::optional<std::vector<Group>> groups(const Shape& operand, const Permutation& from, const Shape& result,
                                         const Permutation& to) {
  std::vector<Group> found;
  for (auto a = from.begin(), b = to.begin(); a != from.end() || b != to.end();) {
    Group group;
    std::int64_t before = 1, after = 1;
    do {
      const bool more = before <= after;
      if (more ? a == from.end() : b == to.end()) {
        return std::nullopt;
      }
      const int axis = more ? *a++ : *b++;
      (more ? group.from : group.to).push_back(axis);
      (more ? before : after) *= (more ? operand : result)[static_cast<std::size_t>(axis)];
    } while (before != after);
    found.push_back(std::move(group));
  }
  return found;
}

}  // namespace

std::optional<ReshapeBefore> reshape_before(const Shape& operand, const Permutation& permutation, const Shape& result) {
  if (count(operand) == 0) {
    return std::nullopt;
  }
  const Permutation to = longer(result, in_order(result.size()));
  auto found = groups(operand, longer(operand, permutation), result, to);
  if (!found) {
    return std::nullopt;
  }
  std::sort(found->begin(), found->end(), [](const Group& a, const Group& b) { return a.from < b.from; });
  Permutation from, order;  // axes of the operand and of the result, in the operand's order
  for (const Group& group : *found) {
    from.insert(from.end(), group.from.begin(), group.from.end());
    order.insert(order.end(), group.to.begin(), group.to.end());
  }
  if (from != longer(operand, in_order(operand.size()))) {
    return std::nullopt;
  }
  // Dimensions of 1 stay where the result has them.
  ReshapeBefore reshape{{}, in_order(result.size())};
  for (std::size_t i = 0; i < order.size(); ++i) {
    reshape.permutation[static_cast<std::size_t>(order[i])] = to[i];
  }
  reshape.shape = permuted(result, inverse(reshape.permutation));
  return reshape;
}

}  // namespace systole::graph
