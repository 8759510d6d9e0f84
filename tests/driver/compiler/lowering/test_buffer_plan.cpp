// SPDX-License-Identifier: Apache-2.0
// Tensors with overlapping live ranges do not share bytes, others do.
#include "buffer_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "seed.hpp"
#include "systole/buffer.hpp"

namespace systole::network {
namespace {

using Needs = std::map<graph::TensorId, MemoryPlan::Need>;

TEST(MemoryPlan, SharesMemoryOfDisjointRanges) {
  const MemoryPlan plan = plan_memory({{1, {1000, {0, 1}}}, {2, {500, {1, 2}}}, {3, {1000, {2, 3}}}});
  EXPECT_EQ(plan.offsets.at(1), plan.offsets.at(3));
  EXPECT_EQ(plan.bytes, 1024u + 512u);
}

TEST(MemoryPlan, SeparatesOverlappingRanges) {
  const MemoryPlan plan = plan_memory({{1, {64, {0, 2}}}, {2, {64, {2, 4}}}});
  EXPECT_NE(plan.offsets.at(1), plan.offsets.at(2)) << "a layer reads the one while it makes the other";
}

TEST(MemoryPlan, FillsGaps) {
  // Tensor 7 is as large as the other two together; 8 fits below it, next to 9.
  const MemoryPlan plan = plan_memory({{7, {256, {0, 9}}}, {8, {128, {0, 1}}}, {9, {128, {2, 3}}}});
  EXPECT_EQ(plan.offsets.at(8), plan.offsets.at(9));
  EXPECT_EQ(plan.bytes, 384u);
}

TEST(MemoryPlan, IsEmptyWithoutTensors) { EXPECT_EQ(plan_memory({}).bytes, 0u); }

TEST(MemoryPlan, NeverOverlapsAndHasLowerBound) {
  std::mt19937_64 random(test::seed());
  const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  for (int round = 0; round < 200; ++round) {
    Needs needs;
    std::vector<std::uint64_t> at_a_time(20);
    for (int id = 0; id < 30; ++id) {
      const int from = below(20);
      const LiveRange live{from, std::min(19, from + below(5))};
      const auto units = static_cast<std::uint64_t>(1 + below(9));
      needs[id] = {units * kBufferAlignment, live};
      for (int layer = live.from; layer <= live.to; ++layer) {
        at_a_time[static_cast<std::size_t>(layer)] += units * kBufferAlignment;
      }
    }
    const MemoryPlan plan = plan_memory(needs);
    EXPECT_GE(plan.bytes, *std::max_element(at_a_time.begin(), at_a_time.end()));
    for (const auto& [a, of_a] : needs) {
      EXPECT_EQ(plan.offsets.at(a) % kBufferAlignment, 0u);
      EXPECT_LE(plan.offsets.at(a) + of_a.bytes, plan.bytes);
      for (const auto& [b, of_b] : needs) {
        const bool apart = plan.offsets.at(a) + of_a.bytes <= plan.offsets.at(b) ||
                           plan.offsets.at(b) + of_b.bytes <= plan.offsets.at(a);
        EXPECT_TRUE(a == b || apart || !overlap(of_a.live, of_b.live)) << "tensors " << a << " and " << b;
      }
    }
  }
}

}  // namespace
}  // namespace systole::network
