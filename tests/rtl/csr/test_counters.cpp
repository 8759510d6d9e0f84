// SPDX-License-Identifier: Apache-2.0
// The counters of the engines against a reference model updated cycle by cycle: random causes and waits, read and
// cleared at any time; and the assertions that check the counters' consistency after every run.
#include <algorithm>

#include "Vcsr_dim4.h"
#include "Vcsr_dim4___024root.h"
#include "Vcsr_nocauses.h"
#include "csr_bench.hpp"
#include "expected_counters.hpp"
#include "seed.hpp"
#include "systole/generated/parts.hpp"

namespace systole::test {
namespace {

constexpr std::uint32_t kCauses = static_cast<std::uint32_t>(isa::Cause::kIdle) + 1;

template <class Model>
class CountersOf : public ::testing::Test {
 public:
  CountersOf() : bench(seed()), expected_counters(bench.now) {
    bench.before_edge = [this] {
      play();
      note();
    };
  }

  void start() { bench.write(reg::kTail, ++tail_); }
  void end() {
    bench.end_program(1);
    for (int i = 0; i < 3; ++i) bench.tick();
  }
  /// A run of at least this many cycles, randomly busy.
  void run(std::uint64_t cycles) {
    start();
    for (std::uint64_t i = 0; i < cycles; ++i) bench.tick();
    end();
  }
  void clear() {
    bench.write(reg::kControl, reg::kControlClearCounters);
    expected_counters.clear(bench.handshake + 2);
  }

  /// Reads a counter and compares it with the reference at the time of the request: a cycle is counted two cycles
  /// later.
  void check(std::uint32_t engine, std::uint32_t number, bool of_semaphore) {
    const std::uint32_t value = bench.read(of_semaphore ? reg::kSemaphoreWait + 4 * (32 * engine + number)
                                                        : reg::kCauseCount + 4 * (16 * engine + number));
    const std::uint64_t end = bench.read_handshake;
    EXPECT_EQ(value, of_semaphore ? expected_counters.wait(engine, number, end)
                                  : expected_counters.cause(engine, static_cast<isa::Cause>(number), end))
        << (of_semaphore ? "semaphore " : "cause ") << number << " of engine " << engine;
  }
  void check_one_of_them() {
    const bool of_semaphore = bench.rng() % 2 != 0;
    check(static_cast<std::uint32_t>(bench.rng() % 4),
          static_cast<std::uint32_t>(bench.rng() % (of_semaphore ? 32 : 16)), of_semaphore);
  }
  void check_all() {
    for (std::uint32_t e = 0; e < 4; ++e) {
      for (std::uint32_t c = 0; c < 16; ++c) check(e, c, false);
      for (std::uint32_t s = 0; s < 32; ++s) check(e, s, true);
    }
    EXPECT_EQ(bench.read(reg::kCycles), expected_counters.cycles(bench.read_handshake));
    const std::uint32_t padded = bench.read(reg::kPaddedVectors);
    EXPECT_EQ(padded, expected_counters.padded(bench.read_handshake + 2));  // it goes on, run or not
  }

  Bench<Model> bench;
  ExpectedCounters expected_counters;
  unsigned change = 4;       ///< one cycle in so many changes a cause
  unsigned semaphores = 32;  ///< that engines wait for
  const ExpectedCounters::Engine& now(std::uint32_t engine) const { return engines_[engine]; }

 private:
  void play() {
    for (std::size_t e = 0; e < 4; ++e) {
      if (bench.rng() % change == 0) {
        // Half of all causes are waits, so that waits for different semaphores follow each other.
        engines_[e].cause =
            bench.rng() % 2 != 0 ? isa::Cause::kSemaphore : static_cast<isa::Cause>(bench.rng() % kCauses);
        engines_[e].semaphore = static_cast<unsigned>(bench.rng() % semaphores);
      }
      // The next instruction may already wait while one works: that is no wait of the engine.
      const bool waits = engines_[e].cause == isa::Cause::kSemaphore;
      const std::uint32_t behind = bench.rng() % 2 != 0 ? 0x80u | static_cast<std::uint32_t>(bench.rng() % 32) : 0u;
      const std::uint32_t byte = waits ? 0x80u | engines_[e].semaphore : behind;
      bench.top->waiting_semaphores_i = (bench.top->waiting_semaphores_i & ~(0xFFu << (8 * e))) | byte << (8 * e);
      bench.cause(static_cast<int>(e), engines_[e].cause);
    }
    bench.top->padded_vector_i = bench.rng() % 3 == 0;
  }

  void note() {
    const bool runs = bench.top->doorbell_o || bench.program;
    expected_counters.add({runs ? (ran_ ? 1u : 3u) : 0u, engines_, bench.top->padded_vector_i != 0});
    ran_ = runs;
  }

  std::array<ExpectedCounters::Engine, 4> engines_{};
  bool ran_ = false;
  std::uint32_t tail_ = 0;
};

using Counters = CountersOf<Vcsr_dim4>;

TEST_F(Counters, AgreeWithTheExpectedCounters) {
  for (const unsigned every : {1u, 2u, 5u, 60u}) {
    change = every;
    for (const unsigned number : {2u, 32u}) {
      semaphores = number;
      for (int i = 0; i < 6; ++i) run(bench.rng() % 200);
    }
  }
  check_all();
  for (std::uint32_t e = 0; e < 4; ++e)
    EXPECT_GT(expected_counters.cause(e, isa::Cause::kSemaphore, bench.now), 500u) << "hardly a wait was seen";
}

TEST_F(Counters, AreReadWhileTheyCount) {
  for (const unsigned every : {1u, 3u, 20u}) {
    change = every;
    semaphores = every == 1 ? 2 : 32;
    start();
    for (int i = 0; i < 400 && !HasFailure(); ++i) check_one_of_them();
    end();
  }
  check_all();
}

TEST_F(Counters, AreClearedWhileTheyCount) {
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    change = i % 2 == 0 ? 1 : 7;
    run(50);
    start();
    for (std::uint64_t k = bench.rng() % 10; k > 0; --k) bench.tick();
    clear();
    for (int k = 0; k < 30; ++k) check_one_of_them();
    end();
    check_all();
    clear();
    check_all();
  }
}

/// Of a core without cause counters, which counts WORKING alone and says what an engine does now.
class CountersOfWorking : public CountersOf<Vcsr_nocauses> {
 public:
  void check_working() {
    for (std::uint32_t e = 0; e < 4; ++e) {
      check(e, static_cast<std::uint32_t>(isa::Cause::kWorking), false);
      const std::uint32_t other = 1 + static_cast<std::uint32_t>(bench.rng() % (kCauses - 1));
      EXPECT_EQ(bench.read(reg::kCauseCount + 4 * (16 * e + other)), 0u);
      EXPECT_EQ(bench.read(reg::kSemaphoreWait + 4 * (32 * e + other)), 0u);
      EXPECT_EQ(bench.read(reg::kEngineSince + 4 * e), 0u);
    }
  }
};

TEST_F(CountersOfWorking, AgreeWithTheExpectedCounters) {
  static_assert(static_cast<int>(isa::Cause::kWorking) == 0, "the other causes follow");
  EXPECT_EQ(bench.read(reg::kParts), kAllParts & ~bit(Part::kCauseCounters));
  std::uint32_t most = 0;  // cycles of work between two clears
  for (const unsigned every : {1u, 2u, 5u, 60u}) {
    change = every;
    for (int i = 0; i < 6; ++i) run(bench.rng() % 200);
    check_working();
    start();
    for (int i = 0; i < 10; ++i) check_working();
    end();
    check_working();
    most = std::max(most, expected_counters.cause(0, isa::Cause::kWorking, bench.now));
    if (every == 5) clear();
    check_working();
  }
  EXPECT_GT(most, 20u);
}

TEST_F(CountersOfWorking, SayWhatAnEngineDoes) {
  change = 1;
  run(40);
  change = 1'000'000'000;  // The causes stay.
  run(40);
  for (std::uint32_t e = 0; e < 4; ++e) {
    const std::uint32_t state = bench.read(reg::kEngineState + 4 * e);
    EXPECT_EQ(state >> reg::kEngineStateCauseLsb & 15, static_cast<std::uint32_t>(now(e).cause));
  }
}

#define SYSTOLE_CAUSES(path) tpu_csr__DOT__u_counters__DOT__gen_causes__DOT__u_causes__DOT__##path

/// Assertions that fail when a RAM word that is read differs from the engine's count.
class CountersAssertions : public Counters {
 public:
  /// Changes words of the MXU's RAM between two runs of known causes, then counts the assertions that fail after the
  /// second.
  template <class Corrupt>
  int failures(Corrupt corrupt) {
    change = 1;
    run(300);
    bench.top->expect_assertions();
    corrupt(bench.top->rootp->SYSTOLE_CAUSES(gen_engine__BRA__1__KET____DOT__u_counts__DOT__mem));
    // A single endless cause does not touch the corrupted words.
    change = 1'000'000'000;
    run(300);
    return bench.context.errorCount();
  }
  static constexpr int kWorking = 32 + static_cast<int>(isa::Cause::kWorking),
                       kFetch = 32 + static_cast<int>(isa::Cause::kFetch);
};

TEST_F(CountersAssertions, HoldWithoutCorruption) {
  EXPECT_EQ(failures([](auto&) {}), 0);
}

TEST_F(CountersAssertions, CausesThatDoNotAddUpToTheCycles) {
  EXPECT_EQ(failures([](auto& words) { words[kWorking] += 1; }), 1);
}

TEST_F(CountersAssertions, SemaphoresThatDoNotAddUpToTheirCause) {
  // The sum over all causes still holds.
  EXPECT_EQ(failures([](auto& words) {
              words[3] += 5;
              words[kFetch] -= 5;
            }),
            1);
}

}  // namespace
}  // namespace systole::test
