// SPDX-License-Identifier: Apache-2.0
// The claims of Order against engines that run at random speeds: random legal programs of waits and signals, each under
// many schedules. No schedule may hang, start a command before one that it should follow, or exceed a bound.
#include "command_order.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "handwritten_program.hpp"
#include "seed.hpp"
#include "systole/isa_check.hpp"
#include "systole/legality.hpp"

namespace systole {
namespace {

using analysis::kEngines;
using analysis::Order;

constexpr isa::Opcode kSync[kEngines] = {isa::Opcode::kSyncLoad, isa::Opcode::kSyncMxu, isa::Opcode::kSyncVpu,
                                         isa::Opcode::kSyncStore};

/// Waits only for available tokens, so that it does not block in program order; takes all remaining tokens before END.
std::vector<isa::Instruction> random_program(std::mt19937_64& random, int commands, unsigned semaphores) {
  std::vector<isa::Instruction> program;
  std::array<unsigned, 8> value{};
  std::array<std::size_t, 8> taker{};  // mostly one engine per semaphore, since hardly any other program is legal
  for (auto& t : taker) t = random() % kEngines;
  const auto emit = [&](std::size_t engine, const isa::Semaphores& s) {
    isa::Instruction i;
    isa::put(i, 0, 8, static_cast<std::uint32_t>(kSync[engine]));
    isa::encode(s, i);
    program.push_back(i);
  };
  for (int c = 0; c < commands; ++c) {
    const std::size_t engine = random() % kEngines;
    isa::Semaphores s;
    const unsigned wait = random() % semaphores;
    if (value[wait] && random() % 3 && (taker[wait] == engine || random() % 40 == 0)) {
      s.wait0_sem = static_cast<std::uint8_t>(wait);
      s.wait0_amount = static_cast<std::uint8_t>(1 + random() % value[wait]);
      value[wait] -= s.wait0_amount;
    }
    if (random() % 2) {
      s.signal0_sem = static_cast<std::uint8_t>(random() % semaphores);
      s.signal0_amount = static_cast<std::uint8_t>(1 + random() % 3);
      value[s.signal0_sem] += s.signal0_amount;
    }
    emit(engine, s);
  }
  for (unsigned s = 0; s < semaphores; ++s) {
    if (value[s]) {
      isa::Semaphores take;
      take.wait0_sem = static_cast<std::uint8_t>(s);
      take.wait0_amount = static_cast<std::uint8_t>(value[s]);
      emit(taker[s], take);
    }
  }
  return program;
}

struct Engine {
  std::vector<std::size_t> commands;
  std::size_t started = 0;
  std::size_t committed = 0;
};

/// Runs the program under one random schedule. Returns whether it ended.
bool run(const std::vector<isa::Instruction>& program, const Order& order, std::mt19937_64& random, bool& sound) {
  std::array<Engine, kEngines> engines;
  for (std::size_t i = 0; i < program.size(); ++i) engines[order.engine(i)].commands.push_back(i);
  std::array<unsigned, isa::kSemaphores> value{};
  std::size_t left = 2 * program.size();
  for (int idle = 0; left > 0;) {
    if (++idle > 2000) return false;
    Engine& e = engines[random() % kEngines];
    const bool start = random() % 2;
    if (start && e.started < e.commands.size() && e.started < e.committed + 3) {
      const std::size_t i = e.commands[e.started];
      const auto s = isa::decode_semaphores(program[i]);
      if (value[s.wait0_sem] < s.wait0_amount) continue;
      value[s.wait0_sem] -= s.wait0_amount;
      for (std::size_t o = 0; o < kEngines; ++o) {
        if (o != order.engine(i)) sound = sound && engines[o].committed >= order.before(i)[o];
      }
      ++e.started;
    } else if (!start && e.committed < e.started) {
      const std::size_t i = e.commands[e.committed];
      const auto s = isa::decode_semaphores(program[i]);
      value[s.signal0_sem] += s.signal0_amount;
      if (s.signal0_amount) sound = sound && value[s.signal0_sem] <= order.bound_after_signal(i, s.signal0_sem);
      ++e.committed;
    } else {
      continue;
    }
    idle = 0;
    --left;
  }
  return true;
}

TEST(Order, HoldsUnderEverySchedule) {
  std::mt19937_64 random(test::seed());
  int legal = 0, claims = 0;
  for (int round = 0; round < 3000; ++round) {
    const auto program = random_program(random, 4 + static_cast<int>(random() % 30), 1 + random() % 6);
    if (check_program(program, kConfigurations[0], test::open_windows())) continue;
    ++legal;
    const Order order(program);
    for (std::size_t i = 0; i < program.size(); ++i)
      for (std::size_t e = 0; e < kEngines; ++e) claims += e != order.engine(i) && order.before(i)[e] > 0;
    for (int schedule = 0; schedule < 30; ++schedule) {
      bool sound = true;
      ASSERT_TRUE(run(program, order, random, sound)) << "a legal program hangs, round " << round;
      ASSERT_TRUE(sound) << "round " << round;
    }
  }
  EXPECT_GT(legal, 300);
  EXPECT_GT(claims, 2000);
}

/// Without the rule on several waiters the claim "does not block in order, so never hangs" is false: STORE can take the
/// token that VPU needs before it can give the second one.
TEST(Order, TwoWaitersWithoutOrderCanHang) {
  test::Program p;
  p << test::signalling(isa::SyncLoad{}, 0) << test::signalling(test::waiting(isa::SyncVpu{}, 0), 1)
    << test::signalling(test::waiting(isa::SyncLoad{}, 1), 0) << test::waiting(isa::SyncStore{}, 0);
  const Order order(p.commands);
  std::mt19937_64 random(1);
  bool sound = true;
  int hung = 0;
  for (int schedule = 0; schedule < 100; ++schedule) hung += !run(p.commands, order, random, sound);
  EXPECT_GT(hung, 0);
  EXPECT_LT(hung, 100);
  const auto refusal = check_program(p.commands, kConfigurations[0], test::open_windows());
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->index, 3u);
}

}  // namespace
}  // namespace systole
