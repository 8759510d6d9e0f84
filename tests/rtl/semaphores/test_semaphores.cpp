// SPDX-License-Identifier: Apache-2.0
// The semaphores against a reference that serves one engine after another, like the functional model, and so decides
// which of several signals of a cycle overflows. Few semaphores, with values near both ends, so that engines compete
// for them.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>

#include "Vsemaphores_only.h"
#include "block_model.hpp"
#include "seed.hpp"
#include "systole/generated/isa.hpp"

namespace systole::test {
namespace {

constexpr int kEngines = 4;
using Counts = std::array<std::uint8_t, isa::kSemaphores>;

struct Pair {
  std::array<unsigned, 2> semaphore{}, amount{};
  bool valid = false;
  std::uint32_t packed() const { return amount[1] << 18 | semaphore[1] << 13 | amount[0] << 5 | semaphore[0]; }
};
using Pairs = std::array<Pair, kEngines>;

struct Result {
  unsigned grant = 0, shortage = 0, overflow = 0;
  std::array<unsigned, kEngines> waiting{}, overflow_semaphore{};
  Counts counts{};
};

/// One cycle of the reference.
Result reference(Counts counts, const Pairs& waits, const Pairs& signals) {
  Result r;
  for (int e = 0; e < kEngines; ++e) {
    for (int k = 1; waits[e].valid && k >= 0; --k) {
      if (counts[waits[e].semaphore[k]] < waits[e].amount[k]) {
        r.shortage |= 1u << e;
        r.waiting[e] = 0x80 | waits[e].semaphore[k];
      }
    }
  }
  using isa::Engine;
  for (const Engine engine : {Engine::kMxu, Engine::kVpu, Engine::kStore, Engine::kLoad}) {
    const int e = static_cast<int>(engine);
    if (r.grant || !waits[e].valid || r.shortage >> e & 1) continue;
    r.grant = 1u << e;
    for (int k = 0; k < 2; ++k) counts[waits[e].semaphore[k]] -= waits[e].amount[k];
  }
  std::array<bool, isa::kSemaphores> full{};
  for (int e = 0; e < kEngines; ++e) {
    for (int k = 1; signals[e].valid && k >= 0; --k) {
      const unsigned s = signals[e].semaphore[k], amount = signals[e].amount[k];
      if (amount == 0) continue;
      if (full[s] || counts[s] + amount > isa::kSemaphoreMax) {
        full[s] = true;  // signals after the first overflow do not count
        r.overflow |= 1u << e;
        r.overflow_semaphore[e] = s;
      } else {
        counts[s] = static_cast<std::uint8_t>(counts[s] + amount);
      }
    }
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

  /// Two of some semaphores; with an amount each they differ, as the rules of an instruction ask.
  Pair random_pair(unsigned percent) {
    Pair p;
    p.valid = pick(100) < percent;
    for (int k = 0; k < 2; ++k) {
      p.semaphore[k] = first_ + pick(semaphores_);
      p.amount[k] = pick_amount();
    }
    if (p.semaphore[0] == p.semaphore[1]) p.amount[pick(2)] = 0;
    return p;
  }

  /// Drives a cycle, compares everything with the reference.
  void cycle(const Pairs& waits, const Pairs& signals) {
    top.wait_valid_i = top.signal_valid_i = 0;
    std::memset(&top.wait_i, 0, sizeof top.wait_i);
    std::memset(&top.signal_i, 0, sizeof top.signal_i);
    for (int e = 0; e < kEngines; ++e) {
      top.wait_valid_i |= static_cast<std::uint8_t>(waits[e].valid << e);
      top.signal_valid_i |= static_cast<std::uint8_t>(signals[e].valid << e);
      for (int bit = 0; bit < 26; ++bit) {
        const int to = 26 * e + bit;
        top.wait_i[to / 32] |= (waits[e].packed() >> bit & 1) << to % 32;
        top.signal_i[to / 32] |= (signals[e].packed() >> bit & 1) << to % 32;
      }
    }
    top.eval();
    const Result r = reference(counts, waits, signals);
    ASSERT_EQ(top.wait_grant_o, r.grant);
    ASSERT_EQ(top.wait_short_o, r.shortage);
    ASSERT_EQ(top.overflow_o, r.overflow);
    for (int e = 0; e < kEngines; ++e) {
      ASSERT_EQ(top.waiting_o >> (8 * e) & 0xff, r.waiting[e]) << "engine " << e;
      if (r.overflow >> e & 1) {
        ASSERT_EQ(top.overflow_semaphore_o >> (5 * e) & 31, r.overflow_semaphore[e]) << "engine " << e;
      }
    }
    edge();
    counts = r.counts;
    for (int s = 0; s < isa::kSemaphores; ++s) {
      ASSERT_EQ(top.count_o[s / 4] >> (8 * (s % 4)) & 0xff, counts[s]) << "semaphore " << s;
    }
    granted += r.grant != 0;
    for (unsigned bits = r.overflow; bits; bits &= bits - 1) ++overflows;
    overflow_cycles += r.overflow != 0;
  }

  void choose_semaphores() {
    semaphores_ = 1 + pick(5);
    first_ = pick(isa::kSemaphores - semaphores_ + 1);
  }

  std::mt19937_64 rng;
  Counts counts{};
  int granted = 0, overflows = 0, overflow_cycles = 0;

 protected:
  VerilatedContext context;
  BlockModel<Vsemaphores_only> top;

 private:
  unsigned first_ = 0, semaphores_ = 1;
};

Pair one(unsigned semaphore, unsigned amount) { return {{semaphore, 0}, {amount, 0}, true}; }

TEST_F(Semaphores, RandomWaitsAndSignals) {
  for (int i = 0; i < 200000; ++i) {
    if (i % 50 == 0) choose_semaphores();
    Pairs waits, signals;
    const unsigned waiting = pick(101), signalling = pick(101);
    for (int e = 0; e < kEngines; ++e) {
      waits[e] = random_pair(waiting);
      signals[e] = random_pair(signalling);
    }
    ASSERT_NO_FATAL_FAILURE(cycle(waits, signals)) << "cycle " << i;
  }
  EXPECT_GT(granted, 10000);
  EXPECT_GT(overflow_cycles, 10000);
  EXPECT_GT(overflows, overflow_cycles) << "several in one cycle";
}

TEST_F(Semaphores, SignalsOfACycleFillASemaphoreToItsLargestValue) {
  cycle({}, {one(31, 100), one(31, 100), one(31, 50), one(31, 5)});
  EXPECT_EQ(counts[31], 255);
  EXPECT_EQ(overflows, 0);
}

TEST_F(Semaphores, TheWaitOfACycleMakesRoomForItsSignals) {
  cycle({}, {one(3, 255), {}, {}, {}});
  cycle({Pair{}, Pair{}, one(3, 255), Pair{}}, {one(3, 200), one(3, 55), {}, {}});
  EXPECT_EQ(overflows, 0);
  EXPECT_EQ(counts[3], 255);
}

TEST_F(Semaphores, BehindTheFirstThatOverflowsNothingCounts) {
  cycle({}, {one(8, 250), {}, {}, {}});
  // LOAD fits, MXU does not; one more from STORE would have fitted.
  cycle({}, {one(8, 4), one(8, 9), one(9, 7), one(8, 1)});
  EXPECT_EQ(overflows, 2) << "MXU and STORE";
  EXPECT_EQ(counts[8], 254);
  EXPECT_EQ(counts[9], 7);
}

}  // namespace
}  // namespace systole::test
