// SPDX-License-Identifier: Apache-2.0
// The semaphores against a reference, cycle by cycle. Few semaphores, with values near both ends, so that engines
// compete for them.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <type_traits>

#include "Vsemaphores_only.h"
#include "block_model.hpp"
#include "seed.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {
namespace {

constexpr int kEngines = 4;
using Counts = std::array<std::uint8_t, isa::kSemaphores>;

struct Tokens {
  unsigned semaphore = 0, amount = 0;
  std::uint64_t packed() const { return amount << 5 | semaphore; }
};
struct Wait {
  std::array<Tokens, 2> tokens{};
  bool valid = false;
};
struct Signal {
  Tokens tokens{};
  bool valid = false;
};
using Waits = std::array<Wait, kEngines>;
using Signals = std::array<Signal, kEngines>;

struct Result {
  unsigned grant = 0, shortage = 0, taken = 0, overflow = 0, overflow_semaphore = 0;
  std::array<unsigned, kEngines> waiting{};
  Counts counts{};
};

/// One cycle of the reference; `refused`: a signal overflowed in the cycle before.
Result reference(Counts counts, const Waits& waits, const Signals& signals, bool refused) {
  Result r;
  for (int e = 0; e < kEngines; ++e) {
    for (int k = 1; waits[e].valid && k >= 0; --k) {
      const Tokens& wait = waits[e].tokens[k];
      if (counts[wait.semaphore] < wait.amount) {
        r.shortage |= 1u << e;
        r.waiting[e] = 0x80 | wait.semaphore;
      }
    }
  }
  std::array<bool, isa::kSemaphores> taken_from{};
  using isa::Engine;
  for (const Engine engine : {Engine::kMxu, Engine::kVpu, Engine::kStore, Engine::kLoad}) {
    const int e = static_cast<int>(engine);
    if (r.grant || !waits[e].valid || r.shortage >> e & 1) continue;
    r.grant = 1u << e;
    for (const Tokens& wait : waits[e].tokens) {
      counts[wait.semaphore] -= wait.amount;
      taken_from[wait.semaphore] |= wait.amount != 0;
    }
  }
  for (int e = 0; e < kEngines && !refused; ++e) {
    if (!signals[e].valid) continue;
    const auto [s, amount] = signals[e].tokens;
    if (taken_from[s]) break;
    if (counts[s] + amount > isa::kSemaphoreMax) {
      r.overflow = 1u << e;
      r.overflow_semaphore = s;
    } else {
      counts[s] = static_cast<std::uint8_t>(counts[s] + amount);
      r.taken = 1u << e;
    }
    break;
  }
  r.counts = counts;
  return r;
}

class Semaphores : public testing::Test {
 public:
  Semaphores() : rng(seed()), top(&context) {
    top.wait_valid_i = top.signal_valid_i = 0;
    top.rst_ni = 0;
    edge();
    top.rst_ni = 1;
  }
  ~Semaphores() override { top.final(); }

  void edge() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  unsigned pick(unsigned bound) { return static_cast<unsigned>(rng() % bound); }
  unsigned pick_amount() {
    const unsigned kind = pick(8);
    return kind == 0 ? 0 : kind == 1 ? 255 : kind == 2 ? pick(256) : kind < 5 ? pick(64) : 1 + pick(3);
  }

  Tokens random_tokens() { return {first_ + pick(semaphores_), pick_amount()}; }
  /// Two of some semaphores; with an amount each they differ, as the rules of an instruction ask.
  Wait random_wait(unsigned percent) {
    Wait wait{{random_tokens(), random_tokens()}, pick(100) < percent};
    if (wait.tokens[0].semaphore == wait.tokens[1].semaphore) wait.tokens[pick(2)].amount = 0;
    return wait;
  }
  Signal random_signal(unsigned percent) { return {random_tokens(), pick(100) < percent}; }

  /// Writes `value` to the bits of a port from `low` on.
  template <class Port>
  static void put(Port& port, int low, int width, std::uint64_t value) {
    for (int bit = 0; bit < width; ++bit) {
      const int to = low + bit;
      if constexpr (std::is_integral_v<Port>)
        port |= static_cast<Port>((value >> bit & 1) << to);
      else
        port[to / 32] |= static_cast<std::uint32_t>(value >> bit & 1) << to % 32;
    }
  }

  /// Drives a cycle, compares everything with the reference.
  void cycle(const Waits& waits, const Signals& signals) {
    top.wait_valid_i = top.signal_valid_i = 0;
    std::memset(&top.wait_i, 0, sizeof top.wait_i);
    std::memset(&top.signal_i, 0, sizeof top.signal_i);
    for (int e = 0; e < kEngines; ++e) {
      top.wait_valid_i |= static_cast<std::uint8_t>(waits[e].valid << e);
      top.signal_valid_i |= static_cast<std::uint8_t>(signals[e].valid << e);
      for (int k = 0; k < 2; ++k) put(top.wait_i, 26 * e + 13 * k, 13, waits[e].tokens[k].packed());
      put(top.signal_i, 13 * e, 13, signals[e].tokens.packed());
    }
    top.eval();
    const Result r = reference(counts, waits, signals, refused);
    ASSERT_EQ(top.wait_grant_o, r.grant);
    ASSERT_EQ(top.wait_short_o, r.shortage);
    ASSERT_EQ(top.signal_ready_o, r.taken);
    for (int e = 0; e < kEngines; ++e) {
      ASSERT_EQ(top.waiting_o >> (8 * e) & 0xff, r.waiting[e]) << "engine " << e;
    }
    edge();
    counts = r.counts;
    for (int s = 0; s < isa::kSemaphores; ++s) {
      ASSERT_EQ(top.count_o[s / 4] >> (8 * (s % 4)) & 0xff, counts[s]) << "semaphore " << s;
    }
    ASSERT_EQ(top.overflow_o, r.overflow);
    if (r.overflow) {
      ASSERT_EQ(top.overflow_semaphore_o, r.overflow_semaphore);
    }
    refused = r.overflow != 0;
    granted += r.grant != 0;
    taken += r.taken != 0;
    together += r.grant != 0 && r.taken != 0;
    overflows += refused;
  }

  void choose_semaphores() {
    semaphores_ = 1 + pick(5);
    first_ = pick(isa::kSemaphores - semaphores_ + 1);
  }

  std::mt19937_64 rng;
  Counts counts{};
  bool refused = false;
  int granted = 0, taken = 0, together = 0, overflows = 0;

 protected:
  VerilatedContext context;
  BlockModel<Vsemaphores_only> top;

 private:
  unsigned first_ = 0, semaphores_ = 1;
};

Signal one(unsigned semaphore, unsigned amount) { return {{semaphore, amount}, true}; }

TEST_F(Semaphores, RandomWaitsAndSignals) {
  for (int i = 0; i < 200000; ++i) {
    if (i % 50 == 0) choose_semaphores();
    Waits waits;
    Signals signals;
    const unsigned waiting = pick(101), signalling = pick(101);
    for (int e = 0; e < kEngines; ++e) {
      waits[e] = random_wait(waiting);
      signals[e] = random_signal(signalling);
    }
    ASSERT_NO_FATAL_FAILURE(cycle(waits, signals)) << "cycle " << i;
  }
  EXPECT_GT(granted, 10000);
  EXPECT_GT(taken, 10000);
  EXPECT_GT(together, 5000);
  EXPECT_GT(overflows, 10000);
}

TEST_F(Semaphores, SignalsFillASemaphoreToItsLargestValueOneACycle) {
  const Signals all{one(31, 100), one(31, 100), one(31, 50), one(31, 5)};
  for (int e = 0; e < kEngines; ++e) {
    Signals rest = all;
    for (int gone = 0; gone < e; ++gone) rest[gone].valid = false;
    cycle({}, rest);
  }
  EXPECT_EQ(counts[31], 255);
  EXPECT_EQ(overflows, 0);
}

TEST_F(Semaphores, ASignalIsTakenBehindTheWaitForItsSemaphore) {
  cycle({}, {one(3, 255), {}, {}, {}});
  Waits waits;
  waits[2] = {{{{3, 255}, {0, 0}}}, true};
  cycle(waits, {one(3, 200), {}, {}, {}});
  EXPECT_EQ(counts[3], 0);
  cycle({}, {one(3, 200), {}, {}, {}});
  EXPECT_EQ(counts[3], 200);
  EXPECT_EQ(overflows, 0);
}

TEST_F(Semaphores, NothingIsTakenInTheCycleAfterAnOverflow) {
  cycle({}, {one(8, 250), {}, {}, {}});
  cycle({}, {one(8, 9), one(9, 7), {}, {}});
  cycle({}, {Signal{}, one(9, 7), {}, {}});
  EXPECT_EQ(counts[9], 0);
  cycle({}, {Signal{}, one(9, 7), {}, {}});
  EXPECT_EQ(overflows, 1);
  EXPECT_EQ(counts[8], 250);
  EXPECT_EQ(counts[9], 7);
}

}  // namespace
}  // namespace systole::test
