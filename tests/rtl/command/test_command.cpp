// SPDX-License-Identifier: Apache-2.0
// The command processor at work: random programs through small rings, latencies, back-pressure, causes.
#include "Vcommand_tiles64.h"
#include "command_bench.hpp"
#include "command_models.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

template <class T>
class Command : public ::testing::Test {};
TYPED_TEST_SUITE(Command, Benches, BenchNames);

TYPED_TEST(Command, RunsRandomPrograms) {
  const std::uint64_t first = seed();
  for (std::uint64_t round = 0; round < 12 && !this->HasFailure(); ++round) {
    SCOPED_TRACE(fmt::format("SYSTOLE_SEED={} round {}", first, round));
    Rng rng(first * 1000 + round);
    Timing timing;
    timing.latency_low = pick(rng, 1, 20);
    timing.latency_high = timing.latency_low + pick(rng, 0, 100);
    timing.stall_percent = round % 3 == 0 ? 0 : pick(rng, 0, 70);
    timing.work_high = pick(rng, 1, 60);
    timing.ready_percent = round % 2 == 0 ? 100 : pick(rng, 20, 100);
    timing.depth = pick(rng, 1, 4);
    TypeParam bench(rng(), timing);
    bench.window(0, 0x8000 + 64 * pick(rng, 0, 200), 0x8000, isa::kPermissionExecute);
    bench.window(1, 0x40000 + 64 * pick(rng, 0, 200), 0x80000, isa::kPermissionExecute | isa::kPermissionRead);
    bench.ring(64 * pick(rng, 0, 100), pick(rng, 0, 6), 0);
    const auto program = random_program(rng, pick(rng, 1, 200), pick(rng, 1, 4), 0, 1);
    bench.run(program);
    bench.run(random_program(rng, 20, 1, 0, 1));
    EXPECT_FALSE(bench.error) << "code " << bench.error->code;
  }
}

// Bench with a ring of 64 entries in window 0 and room for programs in window 1.
template <class Bench>
void open_windows(Bench& bench) {
  bench.window(0, 0x10000, 0x1000, isa::kPermissionExecute);
  bench.window(1, 0x20000, 0x1000, isa::kPermissionExecute);
  bench.ring(0, 6, 0);
}

// With a ring of 64 tiles, bits to skip others are not stored.
template <class Model>
void offers_skips(std::uint32_t stored) {
  Bench<Model, 4> bench(seed(), Timing{});
  open_windows(bench);
  auto conv = isa::Conv::decode(plain(1, false, {}));
  conv.skip0 = conv.skip1 = conv.skip2 = conv.skip3 = 0x80000001;
  bench.put(conv.encode(), false);
  conv.skip2 &= stored;
  conv.skip3 &= stored;
  bench.dispatched.push_back(conv.encode());
  bench.put(end_with(1));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
  EXPECT_EQ(bench.accepted(1).size(), 1u);
}
TEST(CommandSkips, AreThoseOfTilesInTheRing) {
  offers_skips<Vcommand_dim4>(~0u);
  offers_skips<Vcommand_tiles64>(0);
}

TYPED_TEST(Command, FirstCommandFollowsTheDoorbellAsStated) {
  Timing timing;
  timing.latency_low = timing.latency_high = 100;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  bench.put(plain(0, false, {}));
  bench.put(end_with(1));
  bench.run_until([&] { return bench.now == 20; });
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
  // The doorbell, 1 to the request, 100 to the first beat, the rest of the entry, 4 to the engine.
  EXPECT_EQ(bench.accepted(0).at(0) - 20, 100u + 64 / TypeParam::kDimension + 4);
}

TYPED_TEST(Command, SignalReachesTheWaitingCommandInTheNextCycle) {
  Timing timing;
  timing.work_low = timing.work_high = 100;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  bench.put(plain(0, false, {0, 0, 0, 0, 5, 3, 0, 0}));
  bench.put(plain(1, false, {5, 3, 0, 0, 6, 1, 0, 0}));
  bench.put(plain(3, false, {6, 1, 0, 0, 0, 0, 0, 0}));
  bench.put(end_with(1));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
  EXPECT_EQ(bench.accepted(1).at(0) - bench.accepted(0).at(0), 101u);
  EXPECT_EQ(bench.accepted(3).at(0) - bench.accepted(1).at(0), 101u);
}

TYPED_TEST(Command, QueuedCommandsIssueEveryCycle) {
  Timing timing;
  timing.work_low = timing.work_high = 40;
  timing.depth = 8;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  bench.blocked[2] = true;
  for (int i = 0; i < 8; ++i) bench.put(plain(2, false, {}));
  bench.put(end_with(7));
  bench.ring_bell();
  bench.run_until([&] { return bench.now == 300; });
  bench.blocked[2] = false;
  bench.run_until([&] { return bench.ends == 1; });
  EXPECT_EQ(bench.accepted(2).at(7) - bench.accepted(2).at(0), 7u);
}

TYPED_TEST(Command, FullQueueHoldsBackWhatFollows) {
  TypeParam bench(seed(), Timing{});
  open_windows(bench);
  bench.blocked[0] = true;
  for (int i = 0; i < 9; ++i) bench.put(plain(0, false, {}));
  bench.put(plain(1, false, {}));
  bench.put(end_with(7));
  bench.ring_bell();
  bench.run_until([&] { return bench.now == 600; });
  // Eight are queued; the ninth waits for room, and the MXU command after it.
  EXPECT_EQ(bench.top->commands_o, 8u);
  EXPECT_EQ(bench.top->head_o, 8u);
  EXPECT_TRUE(bench.accepted(1).empty());
  bench.blocked[0] = false;
  bench.run_until([&] { return bench.ends == 1; });
  EXPECT_EQ(bench.accepted(0).size(), 9u);
  EXPECT_EQ(bench.accepted(1).size(), 1u);
}

TYPED_TEST(Command, InFlightTableLimitsUncommittedCommands) {
  Timing timing;
  timing.work_low = timing.work_high = 1000;
  timing.depth = 20;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  for (int i = 0; i < 10; ++i) bench.put(plain(3, false, {}));
  bench.put(end_with(7));
  bench.ring_bell();
  bench.run_until([&] { return bench.now == 700; });
  EXPECT_EQ(bench.held(3), 8u);
  EXPECT_EQ(bench.top->engine_level_o >> 48, 0x0208u);  // two in the queue, eight in flight
  EXPECT_EQ(bench.top->oldest_index_o[3], 0u);
  bench.run_until([&] { return bench.ends == 1; });
}

TYPED_TEST(Command, AnEngineWithNothingLeftBeforeTheLastEndIsIdle) {
  Timing timing;
  timing.work_low = timing.work_high = 500;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  // Engines must not report IDLE for an END with more commands after it.
  bench.put(plain(0, false, {}));
  bench.put(end_with(1));
  bench.put(plain(3, false, {}));
  bench.put(end_with(2));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
  EXPECT_EQ(bench.idle_cycles, (std::array<std::uint64_t, 4>{}));
  bench.run_until([&] { return bench.held(3) == 1; });
  for (int i = 0; i < 20; ++i) bench.tick();  // END is on its way to decode
  const auto before = bench.idle_cycles;
  for (int i = 0; i < 100; ++i) bench.tick();
  for (int e = 0; e < 3; ++e) EXPECT_EQ(bench.idle_cycles[e], before[e] + 100) << "engine " << e;
  EXPECT_EQ(bench.idle_cycles[3], 0u) << "it works";
  // More is rung while END waits.
  bench.put(plain(1, false, {}));
  bench.put(end_with(3));
  bench.ring_bell();
  bench.tick();
  const auto after = bench.idle_cycles;
  bench.run_until([&] { return bench.ends == 2; });
  EXPECT_EQ(bench.idle_cycles, after);
  bench.run_until([&] { return bench.ends == 3; });
}

TYPED_TEST(Command, AJumpedToProgramThatEndsBeforeTheRingDoesIsNotTheLast) {
  Timing timing;
  timing.work_low = timing.work_high = 200;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  // END inside of a JUMP target, with entries of the ring after it; then the same with nothing after it.
  for (const bool last : {false, true}) {
    const auto offset = 64u * (last ? 8 : 0);
    bench.put(jump_to(offset, 2, 1));
    bench.write(1, offset, plain(2, false, {}));
    bench.write(1, offset + 64, end_with(4));
    bench.dispatched.push_back(plain(2, false, {}));
    bench.dispatched.push_back(end_with(4));
    const auto before = bench.idle_cycles;
    if (!last) {
      bench.put(plain(0, false, {}));
      bench.put(end_with(5));
    }
    bench.ring_bell();
    const std::size_t ends = bench.ends;
    bench.run_until([&] { return bench.ends == ends + 1; });
    EXPECT_EQ(bench.idle_cycles[1] > before[1], last);
    if (!last) bench.run_until([&] { return bench.ends == ends + 2; });
    bench.tick();
    EXPECT_FALSE(bench.top->busy_o);
  }
}

TYPED_TEST(Command, StateNamesTheWait) {
  TypeParam bench(seed(), Timing{});
  open_windows(bench);
  isa::Semaphores sem{9, 1, 17, 2, 0, 0, 0, 0};
  bench.put(plain(2, false, {0, 0, 0, 0, 9, 1, 0, 0}));
  bench.put(plain(3, false, sem));
  bench.ring_bell();
  bench.run_until([&] { return bench.now == 400; });
  // Semaphore 9 suffices, 17 does not.
  EXPECT_EQ(bench.top->engine_waiting_o, 8);
  EXPECT_EQ(bench.top->engine_busy_o, 8);
  EXPECT_EQ(bench.top->engine_level_o, 0x0100'0000'0000'0000u);
  EXPECT_EQ(bench.top->oldest_index_o[3], 1u);
  EXPECT_EQ(bench.top->waiting_semaphores_o, 0x91000000u);
  EXPECT_EQ(bench.top->semaphore_o[2], 0x100u);
  EXPECT_TRUE(bench.top->busy_o);
  bench.put(plain(0, true, {0, 0, 0, 0, 17, 2, 0, 0}));
  bench.put(end_with(3));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
  bench.tick();
  EXPECT_FALSE(bench.top->busy_o);
}

// Legal one at a time, yet stuck: the VPU takes the signal that the MXU's second command, earlier in the program,
// needs. Hence the rule that only one engine waits for a semaphore; the hardware does not resolve this, it reports both
// waits.
TYPED_TEST(Command, TwoWaitersOfOneSemaphoreMayDeadlock) {
  Timing timing;
  timing.work_low = timing.work_high = 50;
  TypeParam bench(seed(), timing);
  open_windows(bench);
  bench.put(plain(0, false, {0, 0, 0, 0, 7, 1, 0, 0}));
  bench.put(plain(1, false, {0, 0, 0, 0, 8, 1, 0, 0}));
  bench.put(plain(1, false, {8, 1, 7, 1, 7, 2, 0, 0}));
  bench.put(plain(2, false, {7, 1, 0, 0, 0, 0, 0, 0}));
  bench.put(plain(2, false, {7, 1, 0, 0, 0, 0, 0, 0}));
  bench.put(end_with(1));
  bench.ring_bell();
  for (int i = 0; i < 1000; ++i) bench.tick();
  EXPECT_EQ(bench.ends, 0u);
  EXPECT_EQ(bench.top->waiting_semaphores_o, 0x00878700u);
}

TYPED_TEST(Command, TailTakenBackReadsNothingBeyondIt) {
  TypeParam bench(seed(), Timing{});
  open_windows(bench);
  bench.blocked[0] = true;
  for (int i = 0; i < 20; ++i) bench.put(plain(0, false, {}));
  bench.ring_bell();
  for (int i = 0; i < 600; ++i) bench.tick();
  bench.tail = 12;  // what has been read ahead runs all the same
  bench.ring_bell();
  bench.blocked[0] = false;
  for (int i = 0; i < 600; ++i) bench.tick();
  EXPECT_EQ(bench.top->head_o, TypeParam::kDimension == 4 ? 16u : 20u);
  EXPECT_FALSE(bench.error);
  bench.tail = 20;
  bench.put(end_with(4));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
}

TYPED_TEST(Command, BusyLastsUntilTheLastEndThatWasRung) {
  TypeParam bench(seed(), Timing{});
  open_windows(bench);
  bench.ring_bell();  // nothing new
  for (int i = 0; i < 5; ++i) bench.tick();
  EXPECT_FALSE(bench.top->busy_o);
  bench.put(end_with(1));
  bench.put(plain(1, false, {}));
  bench.put(end_with(2));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 1; });
  bench.tick();
  EXPECT_TRUE(bench.top->busy_o);
  bench.run_until([&] { return bench.ends == 2; });
  bench.tick();
  EXPECT_FALSE(bench.top->busy_o);
  EXPECT_EQ(bench.tag, 2u);
}

}  // namespace
}  // namespace systole::test
