// SPDX-License-Identifier: Apache-2.0
#include "dependency_order.hpp"

#include <gtest/gtest.h>

namespace systole::graph::test {
namespace {

using Numbers = std::vector<std::size_t>;

std::string letter(std::size_t i) { return std::string(1, static_cast<char>('a' + i)); }

TEST(DependencyOrder, KeepsValidOrder) {
  EXPECT_EQ(dependency_order({{}, {0}, {}, {0, 2}}).order, (Numbers{0, 1, 2, 3}));
}

TEST(DependencyOrder, MovesDependenciesForward) {
  const DependencyOrder found = dependency_order({{3}, {0, 0}, {}, {2}});
  EXPECT_EQ(found.order, (Numbers{2, 3, 0, 1}));
  EXPECT_TRUE(found.cycle.empty());
}

TEST(DependencyOrder, NamesOnlyTheCycle) {
  const DependencyOrder found = dependency_order({{1}, {2}, {3}, {1}, {}});
  EXPECT_EQ(found.cycle, (Numbers{1, 2, 3}));
  EXPECT_EQ(cycle_text(found.cycle, letter), "b depends on c, which depends on d, which depends on b");
  EXPECT_EQ(cycle_text(dependency_order({{0}}).cycle, letter), "a depends on its own result");
}

TEST(DependencyOrder, ShortensLongCycles) {
  std::vector<Numbers> ring(20);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    ring[i] = {(i + 1) % ring.size()};
  }
  EXPECT_EQ(cycle_text(dependency_order(ring).cycle, letter),
            "a depends on b, which depends on c, which depends on d, which depends on e, which depends on f, which "
            "depends on g, "
            "which depends on h, ... (12 more), "
            "which depends on a");
}

}  // namespace
}  // namespace systole::graph::test
