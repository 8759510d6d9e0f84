// SPDX-License-Identifier: Apache-2.0
// The clock of the command processor stops while nothing changes in it, whatever the depth of its queues: the bench
// compares a gated instance with a running one in every cycle. These programs cause much activity without an external
// event.
#include "Vcommand_queue16.h"
#include "Vcommand_queue4.h"
#include "command_bench.hpp"
#include "command_models.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

constexpr std::size_t kTries = 8000;  ///< cycles in which all of this is long over

template <class T>
class CommandGating : public ::testing::Test {};
using Depths = ::testing::Types<Bench<Vcommand_queue4, 4>, Bench<Vcommand_dim4, 4>, Bench<Vcommand_queue16, 4>>;
struct DepthNames {
  template <class T>
  static std::string GetName(int number) {
    return number == 0 ? "queue4" : number == 1 ? "queue8" : "queue16";
  }
};
TYPED_TEST_SUITE(CommandGating, Depths, DepthNames);

/// A LOAD that takes long signals semaphore 0 by `amount`; every engine has `syncs` SYNCs that wait for 1 of it each.
template <class Bench>
void fan_out(Bench& bench, unsigned amount, int syncs) {
  bench.window(0, 0x10000, 0x10000, isa::kPermissionExecute);
  bench.ring(0, 8, 0);
  bench.put(plain(0, false, {0, 0, 0, 0, 0, static_cast<std::uint8_t>(amount), 0, 0}));
  for (int i = 0; i < syncs; ++i) {
    for (int e = 0; e < 4; ++e) bench.put(plain(e, true, {0, 1, 0, 0, 0, 0, 0, 0}));
  }
  bench.put(end_with(9), amount == 4u * static_cast<unsigned>(syncs));
  bench.ring_bell();
}

Timing long_work() {
  Timing timing;
  timing.work_low = timing.work_high = 3000;
  return timing;
}

TYPED_TEST(CommandGating, ManySyncsOneAfterTheOther) {
  TypeParam bench(seed(), long_work());
  fan_out(bench, 64, 16);
  bench.run_until([&] { return bench.ends == 1; }, kTries);
  EXPECT_FALSE(bench.error);
  EXPECT_GT(bench.rested, 400u) << "the clock does not rest while the LOAD works";
}

TYPED_TEST(CommandGating, AnErrorThatFollowsTheLastSync) {
  TypeParam bench(seed(), long_work());
  fan_out(bench, 33, 8);
  bench.run_until([&] { return bench.error.has_value(); }, kTries);
  ASSERT_TRUE(bench.error);
  EXPECT_EQ(bench.error->code, static_cast<unsigned>(isa::ErrorCode::kSemaphoreAtEnd));
  EXPECT_EQ(bench.error->index, 33u);
}

TYPED_TEST(CommandGating, AnInstructionOutsideItsWindowBehindFullQueues) {
  TypeParam bench(seed(), long_work());
  bench.window(0, 0x10000, 0x10000, isa::kPermissionExecute);
  bench.window(1, 0x20000, 64 * 22, isa::kPermissionExecute);
  bench.ring(0, 8, 0);
  bench.put(jump_to(0, 40, 1));
  for (std::uint32_t i = 0; i < 22; ++i) {
    const auto instruction = plain(1, false, {});
    bench.write(1, 64 * i, instruction);
    bench.dispatched.push_back(instruction);
  }
  bench.ring_bell();
  bench.run_until([&] { return bench.error.has_value(); }, 40000);
  ASSERT_TRUE(bench.error);
  EXPECT_EQ(bench.error->code, static_cast<unsigned>(isa::ErrorCode::kWindow));
  EXPECT_EQ(bench.error->index, 23u);
}

TYPED_TEST(CommandGating, AnEndThatClears) {
  TypeParam bench(seed(), Timing{});
  bench.window(0, 0x10000, 0x10000, isa::kPermissionExecute);
  bench.ring(0, 8, 0);
  bench.start_clearing(300);  // as after a reset: nothing is dispatched before it is over
  bench.put(plain(1, false, {}));
  bench.put(end_with(1, true));
  bench.put(plain(2, false, {}));
  bench.put(end_with(2));
  bench.ring_bell();
  bench.run_until([&] { return bench.ends == 2; }, kTries);
  EXPECT_GE(bench.accepted(1).at(0), 300u);
  EXPECT_EQ(bench.clears, 1u);
  EXPECT_GT(bench.clearing, 300u);
}

TYPED_TEST(CommandGating, RandomPrograms) {
  Rng rng(seed());
  for (int round = 0; round < 6 && !this->HasFailure(); ++round) {
    Timing timing;
    timing.latency_low = timing.latency_high = pick(rng, 1, 150);
    timing.stall_percent = pick(rng, 0, 50);
    timing.work_high = pick(rng, 1, 200);
    timing.ready_percent = pick(rng, 20, 100);
    TypeParam bench(rng(), timing);
    bench.window(0, 0x8000, 0x8000, isa::kPermissionExecute);
    bench.window(1, 0x40000, 0x80000, isa::kPermissionExecute);
    bench.ring(0, pick(rng, 2, 6), 0);
    bench.run(random_program(rng, pick(rng, 1, 120), pick(rng, 1, 3), 0, 1));
    EXPECT_FALSE(bench.error);
  }
}

}  // namespace
}  // namespace systole::test
