// SPDX-License-Identifier: Apache-2.0
// The deadlock check: which programs are refused, and the report; compared with a search of all orders.
#include "systole/deadlock.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "command_history.hpp"
#include "seed.hpp"
#include "stuck_programs.hpp"

namespace systole::test {
namespace {

using Culprit = HangReport::Culprit;

TEST(Deadlock, NoneInAChain) {
  EXPECT_FALSE(find_deadlock(program_of({})));
  EXPECT_FALSE(find_deadlock(
      program_of({load({}, {{1, 1}}), mxu({{1, 1}}, {{2, 3}}), vpu({{2, 3}}, {{3, 1}}), store({{3, 1}}, {})})));
  // Out of program order, but it ends: the queues let engines run ahead of each other.
  EXPECT_FALSE(find_deadlock(program_of({mxu({{1, 1}}, {}), load({}, {{1, 1}})})));
}

TEST(Deadlock, MissingSignal) {
  const auto report =
      find_deadlock(program_of({load({}, {{5, 1}}), mxu({{5, 1}}, {{6, 1}}), mxu({{5, 1}}, {}), vpu({{6, 1}}, {})}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->culprit, Culprit::kMissingSignal);
  EXPECT_EQ(report->suspect,
            "MXU #2 waits for semaphore 5 (holds 0, needs 1), but no remaining instruction signals it; the last one "
            "was LOAD #0, and in the whole program its signals add up to 1, its waits to 2");
  EXPECT_EQ(report->committed, 3u);
  ASSERT_TRUE(report->node(isa::Engine::kMxu));
  EXPECT_EQ(report->node(isa::Engine::kMxu)->command.layer, "second");
  ASSERT_TRUE(report->node(isa::Engine::kCommand));
  EXPECT_EQ(report->node(isa::Engine::kCommand)->wait, HangReport::Wait::kEngines);
}

TEST(Deadlock, TwoEnginesWaitForEachOther) {
  const auto report = find_deadlock(program_of({load({}, {}), mxu({{1, 1}}, {{2, 1}}), vpu({{2, 1}}, {{1, 1}})}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->culprit, Culprit::kCircularWait);
  EXPECT_EQ(report->suspect,
            "two engines wait for each other: MXU #1 waits for semaphore 1 (holds 0, needs 1) that VPU #2 would "
            "signal; VPU #2 waits "
            "for semaphore 2 (holds 0, needs 1) that MXU #1 would signal");
  EXPECT_EQ(report->chain, (std::vector<isa::Engine>{isa::Engine::kMxu, isa::Engine::kVpu}));
  EXPECT_EQ(report->loop, 0u);
}

TEST(Deadlock, FourEnginesInACircleAndOneThatWaitsForThem) {
  const auto report = find_deadlock(program_of(
      {vpu({{9, 1}}, {{1, 1}}), store({{1, 1}}, {{2, 1}}), load({{2, 1}}, {{3, 1}}), mxu({{3, 1}}, {{9, 1}})}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->suspect.find("4 engines wait for each other in a circle: VPU #0 waits for semaphore 9"), 0u)
      << report->suspect;
  EXPECT_NE(report->to_text().find(
                "chain: VPU #0 -> semaphore 9 -> MXU #3 -> semaphore 3 -> LOAD #2 -> semaphore 2 -> STORE #1 -> "
                "semaphore 1 -> VPU #0 again"),
            std::string::npos)
      << report->to_text();
}

TEST(Deadlock, AnEngineThatWaitsForItself) {
  const auto report = find_deadlock(program_of({mxu({{4, 2}}, {}), mxu({}, {{4, 2}})}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->suspect,
            "MXU waits for itself: MXU #0 waits for semaphore 4 (holds 0, needs 2) that MXU #1 would signal");
}

/// The signal waits for dispatch behind a full queue that only the signal can empty.
TEST(Deadlock, AQueueThatIsTooShort) {
  const auto program = [](int waits) {
    std::vector<isa::Instruction> instructions(static_cast<std::size_t>(waits), mxu({{1, 1}}, {}));
    instructions.push_back(load({}, {{1, waits}}));
    return program_of(instructions);
  };
  EXPECT_FALSE(find_deadlock(program(isa::kQueueDepth)));
  const auto report = find_deadlock(program(isa::kQueueDepth + 2));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->culprit, Culprit::kCircularWait);
  EXPECT_NE(report->suspect.find(
                "MXU #0 waits for semaphore 1 (holds 0, needs 1) that LOAD #10 would signal; LOAD #10 has not been "
                "dispatched; #8 cannot be dispatched because the queue of MXU is full"),
            std::string::npos)
      << report->suspect;
}

TEST(Deadlock, CompetingEnginesAreRefusedOnlyWhenNoOrderEnds) {
  // MXU and VPU compete for semaphore 3; the program can end if the MXU comes first, so it is not refused.
  EXPECT_FALSE(find_deadlock(program_of({load({}, {{3, 1}}), vpu({{3, 1}}, {}), mxu({{3, 1}}, {{3, 1}})})));
  // One token for two: refused by the balance at END.
  const auto report = find_deadlock(program_of({load({}, {{3, 1}}), vpu({{3, 1}}, {}), mxu({{3, 1}}, {})}));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->culprit, Culprit::kMissingSignal);
}

TEST(Deadlock, ErrorsAreLeftToTheHardware) {
  EXPECT_FALSE(find_deadlock(program_of({load({}, {{3, 1}})})));  // SEMAPHORE_AT_END
  isa::Instruction unknown;
  unknown.words[0] = 0xEE;
  EXPECT_FALSE(find_deadlock(program_of({mxu({{1, 1}}, {}), unknown})));  // ILLEGAL_INSTRUCTION comes first
  EXPECT_FALSE(find_deadlock(program_of({mxu({{1, 1}, {1, 1}}, {})})));   // both waits on one semaphore
  isa::Jump jump;
  jump.count = 1;
  EXPECT_FALSE(find_deadlock(program_of({mxu({{1, 1}}, {}), jump.encode()})));  // the signal may be there
  EXPECT_TRUE(find_deadlock(program_of({mxu({{1, 1}}, {}), isa::End{}.encode(), jump.encode()})));
}

/// All orders in which the engines can execute commands, by brute force.
class AllOrders {
 public:
  explicit AllOrders(const Program& program) : program_(program) {}

  /// Whether some order reaches END, with any semaphore values.
  bool some_order_ends() { return visit({}); }

 private:
  struct Point {
    std::size_t next = 0;
    std::array<std::vector<std::size_t>, 4> queues;
    std::array<int, isa::kSemaphores> values{};
    auto key() const { return std::tuple(next, queues, values); }
  };

  bool visit(Point p) {
    for (; p.next < program_.instructions.size(); ++p.next) {
      auto& queue = p.queues[static_cast<std::size_t>(hang::engine_of(program_.instructions[p.next]))];
      if (queue.size() == isa::kQueueDepth) break;
      queue.push_back(p.next);
    }
    bool empty = p.next == program_.instructions.size();
    for (const auto& queue : p.queues) empty = empty && queue.empty();
    if (empty) return true;
    if (!seen_.insert(p.key()).second) return false;
    for (auto& queue : p.queues) {
      if (queue.empty()) continue;
      const isa::Semaphores s = isa::decode_semaphores(program_.instructions[queue.front()]);
      if (p.values[s.wait0_sem] < s.wait0_amount || p.values[s.wait1_sem] < s.wait1_amount) continue;
      Point after = p;
      auto& fired = after.queues[static_cast<std::size_t>(&queue - p.queues.data())];
      fired.erase(fired.begin());
      after.values[s.wait0_sem] -= s.wait0_amount;
      after.values[s.wait1_sem] -= s.wait1_amount;
      after.values[s.signal0_sem] += s.signal0_amount;
      after.values[s.signal1_sem] += s.signal1_amount;
      if (visit(after)) return true;
    }
    return false;
  }

  const Program& program_;
  std::set<std::tuple<std::size_t, std::array<std::vector<std::size_t>, 4>, std::array<int, isa::kSemaphores>>> seen_;
};

TEST(Deadlock, IsExactWhileOneEngineWaitsForEachSemaphore) {
  std::mt19937_64 rng(seed());
  std::array<int, 2> count{};
  for (int round = 0; round < 4000; ++round) {
    const Program program = random_program(rng, true);
    const bool ends = AllOrders(program).some_order_ends();
    ++count[ends];
    ASSERT_EQ(find_deadlock(program).has_value(), !ends) << round;
  }
  EXPECT_GT(count[0], 400);
  EXPECT_GT(count[1], 400);
}

TEST(Deadlock, NeverRefusesAProgramThatCanEnd) {
  std::mt19937_64 rng(seed());
  int refused = 0, hopeless = 0, ended = 0;
  for (int round = 0; round < 3000; ++round) {
    const Program program = random_program(rng, false);
    const bool ends = AllOrders(program).some_order_ends();
    const auto report = find_deadlock(program);
    ended += ends;
    hopeless += !ends;
    refused += report.has_value();
    ASSERT_FALSE(ends && report) << report->to_text();
  }
  EXPECT_GT(ended, 300);
  EXPECT_GT(refused, hopeless / 2) << "of " << hopeless;
  fmt::print("{} of {} programs that never end refused\n", refused, hopeless);
}

}  // namespace
}  // namespace systole::test
