// SPDX-License-Identifier: Apache-2.0
// The AXI guard: random engines against a random bus, resets at random moments with transactions in flight, the bus
// watchdog, latency and throughput, and its assertions.
#include "Vaxi_guard_dim16.h"
#include "Vaxi_guard_dim32.h"
#include "Vaxi_guard_dim4.h"
#include "Vaxi_guard_dim8.h"
#include "axi_guard_bench.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

template <class Model>
class AxiGuard : public testing::Test {
 protected:
  using Bench = GuardBench<Model>;
  static void expect_clean(Bench& bench) {
    EXPECT_EQ(bench.broken_rules, 0);
    EXPECT_FALSE(bench.log.any()) << bench.log.text();
    EXPECT_EQ(bench.context.errorCount(), 0) << "assertion failures";
  }
  /// Idle engines, and a bus without stalls.
  static void calm(Bench& bench) {
    bench.slave.timing = {0, 0};
    bench.rates = {0, 0, 0, 0, 32};
  }
};

using Models = testing::Types<Vaxi_guard_dim4, Vaxi_guard_dim8, Vaxi_guard_dim16, Vaxi_guard_dim32>;
TYPED_TEST_SUITE(AxiGuard, Models);

constexpr SlaveTiming kTimings[] = {{0, 0}, {30, 20}, {80, 100}};

TYPED_TEST(AxiGuard, RandomTraffic) {
  typename TestFixture::Bench bench(seed());
  bench.top.watchdog_i = 1000;
  for (const SlaveTiming& timing : kTimings) {
    for (int longest : {1, 32, 256}) {
      bench.slave.timing = timing;
      for (int eager : {10, 50, 100}) {
        bench.rates = {eager / 5, eager, eager, eager, longest};
        for (int i = 0; i < 1000 && !this->HasFailure(); ++i) bench.cycle();
      }
      bench.finish();
    }
  }
  EXPECT_GT(bench.slave.read_beats, 5000);
  EXPECT_GT(bench.slave.write_beats, 5000);
  EXPECT_EQ(bench.stuck, 0) << "false alarm";
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, ResetAtAnyMomentLeavesNothingUnfinished) {
  typename TestFixture::Bench bench(seed());
  bench.top.watchdog_i = 1000;
  for (int round = 0; round < 400 && !this->HasFailure(); ++round) {
    bench.slave.timing = kTimings[round % 3];
    const int eager = 20 + 40 * static_cast<int>(bench.rng() % 3);
    bench.rates = {eager / 5, eager, eager, static_cast<int>(bench.rng() % 101),
                   1 + static_cast<int>(bench.rng() % 64)};
    bench.cycles(static_cast<int>(bench.rng() % 80));
    for (int requests = static_cast<int>(bench.rng() % 3); requests >= 0; --requests) {  // some while it resets already
      bench.top.reset_request_i = 1;
      bench.cycles(1 + static_cast<int>(bench.rng() % 40 >> bench.rng() % 6));
    }
    for (int i = 0; i < 20000 && !bench.top.core_rst_no; ++i) bench.cycle();
    ASSERT_TRUE(bench.top.core_rst_no);
    if (round % 4 == 0) bench.finish();  // works normally, up to the last response
  }
  bench.finish();
  EXPECT_GT(bench.resets, 400);
  EXPECT_GT(bench.beats_without_strobes, 500);
  EXPECT_EQ(bench.stuck, 0) << "false alarm";
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, ResetOfAnIdleBusTakesThreeCycles) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  bench.cycles(10);
  bench.top.reset_request_i = 1;
  std::string core;
  for (int i = 0; i < 5; ++i) {
    core += bench.top.core_rst_no ? '1' : '0';
    bench.cycle();
  }
  EXPECT_EQ(core, "10011");
}

TYPED_TEST(AxiGuard, PinResetForgetsTheBus) {
  typename TestFixture::Bench bench(seed());
  for (int round = 0; round < 10 && !this->HasFailure(); ++round) {
    bench.cycles(50 + static_cast<int>(bench.rng() % 50));
    if (round % 2) bench.top.reset_request_i = 1, bench.cycles(3);
    bench.pin_reset();
    bench.cycles(100);
    bench.finish();
  }
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, OneCycleEachWay) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  auto& top = bench.top;
  auto& pins = bench.pins;
  bench.cycles(4);
  bench.fetch.valid = true;
  bench.writer.offer(bench.rng, 100, 100, 1);
  bench.cycle();
  EXPECT_TRUE(pins.m_axi_arvalid_o && pins.m_axi_awvalid_o);
  EXPECT_FALSE(pins.m_axi_wvalid_o);
  bench.cycle();
  EXPECT_TRUE(pins.m_axi_wvalid_o && !pins.m_axi_awvalid_o);
  EXPECT_FALSE(top.fetch_r_o & kAnswer);
  bench.cycle();  // read data on the pins
  EXPECT_TRUE((top.fetch_r_o & kAnswer) && !(top.b_o & kAnswer));
  bench.cycle();
  EXPECT_TRUE(top.b_o & kAnswer);
  bench.finish();
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, OneRequestAndOneBeatPerCycle) {
  typename TestFixture::Bench bench(seed());
  bench.slave.timing = {0, 0};
  bench.rates = {0, 100, 100, 100, 32};
  bench.cycles(50);
  const long reads = bench.slave.read_beats, writes = bench.slave.write_beats;
  bench.cycles(500);
  EXPECT_EQ(bench.slave.read_beats - reads, 500);
  if (TestFixture::Bench::kDim > 4) {  // two bursts of data in flight, as the smallest variant has, may be short ones
    EXPECT_EQ(bench.slave.write_beats - writes, 500);
  }
  bench.finish();
  bench.rates = {50, 100, 0, 0, 1};  // single beats: as many requests as beats
  bench.cycles(20);
  const long singles = bench.slave.read_beats;
  bench.cycles(300);
  EXPECT_GE(bench.slave.read_beats - singles, 300);
  bench.finish();
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, WatchdogReportsAnOwedReadOnceAndIsRearmedByABeat) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  bench.top.watchdog_i = 50;
  bench.load.valid = true;
  bench.load.request = {0, 4};
  bench.cycle();
  bench.cycle();  // on the bus
  bench.slave.frozen_reads = true;
  bench.cycles(50);
  EXPECT_EQ(bench.stuck, 0);
  bench.cycles(5);
  EXPECT_EQ(bench.stuck, 1);
  EXPECT_EQ(bench.fault_address, 0u);
  bench.cycles(500);
  EXPECT_EQ(bench.stuck, 1) << "once";
  bench.slave.frozen_reads = false;
  bench.cycle();
  bench.slave.frozen_reads = true;
  bench.cycles(45);
  EXPECT_EQ(bench.stuck, 1) << "the beat is movement";
  bench.cycles(500);
  EXPECT_EQ(bench.stuck, 2) << "armed again";
  bench.slave.frozen_reads = false;
  bench.finish();
  bench.cycles(500);
  EXPECT_EQ(bench.stuck, 2) << "nothing is owed";
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, WatchdogSeesEveryChannelThatWaits) {
  auto stuck_after = [](auto prepare, bool write) {
    typename TestFixture::Bench bench(seed());
    TestFixture::calm(bench);
    bench.top.watchdog_i = 40;
    prepare(bench);
    bench.cycles(400);
    EXPECT_EQ(bench.stuck, 1);
    EXPECT_EQ(bench.fault_address, write ? 1u : 0u);
    bench.slave.frozen_reads = bench.slave.frozen_writes = false;
    bench.finish();
    EXPECT_EQ(bench.stuck, 1);
    TestFixture::expect_clean(bench);
  };
  stuck_after([](auto& b) { b.slave.frozen_reads = b.fetch.valid = true; }, false);  // read address
  stuck_after(
      [](auto& b) {
        b.slave.frozen_writes = b.writer.aw_valid = true, b.writer.beats.resize(1), b.writer.beats[0].last = true;
      },
      true);
  stuck_after(
      [](auto& b) {  // write data
        b.rates.w = 100, b.writer.offer(b.rng, 100, 100, 8), b.cycles(2);
        b.slave.frozen_writes = true;
      },
      true);
  stuck_after(
      [](auto& b) {  // response
        b.rates.w = 100, b.writer.offer(b.rng, 100, 100, 1), b.cycles(3);
        b.slave.frozen_writes = true;
      },
      true);
}

TYPED_TEST(AxiGuard, WatchdogIsSilentWhileTheBusOwesNothing) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  bench.top.watchdog_i = 20;
  bench.cycles(100);
  bench.writer.offer(bench.rng, 100, 0, 8);  // an address, and the engine is slow with its data
  bench.cycles(300);
  EXPECT_EQ(bench.stuck, 0);
  bench.rates.w = 10;  // a beat now and then
  bench.cycles(300);
  bench.finish();
  EXPECT_EQ(bench.stuck, 0);
  this->expect_clean(bench);
}

TYPED_TEST(AxiGuard, WatchdogIsSilentWhileASlowBusMoves) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  bench.top.watchdog_i = 20;
  bench.rates.w = 100;
  bench.writer.aw_valid = true;
  bench.writer.request = {0, kLongestWrite};
  bench.writer.beats.resize(kLongestWrite);
  bench.writer.beats.back().last = true;
  for (int i = 0; i < 1000; ++i) {
    bench.slave.frozen_writes = i % 15 != 0;
    bench.cycle();
  }
  EXPECT_EQ(bench.slave.write_beats, kLongestWrite);
  EXPECT_EQ(bench.stuck, 0);
}

TYPED_TEST(AxiGuard, WatchdogValueMayChangeAtAnyTime) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  bench.top.watchdog_i = 0;
  bench.slave.frozen_reads = true;
  bench.load.valid = true;
  bench.cycles(1000);
  EXPECT_EQ(bench.stuck, 0) << "0 is never";
  bench.top.watchdog_i = 100;  // exceeded long ago
  bench.cycles(50);
  EXPECT_EQ(bench.stuck, 1);
}

TYPED_TEST(AxiGuard, ResetOnAStuckBusWaitsReportsAndThenWorks) {
  typename TestFixture::Bench bench(seed());
  bench.rates = {20, 50, 50, 50, 32};
  bench.cycles(200);
  bench.slave.frozen_reads = bench.slave.frozen_writes = true;
  bench.cycles(10);
  bench.top.reset_request_i = 1;
  bench.top.watchdog_i = 100;
  bench.cycles(1000);
  EXPECT_FALSE(bench.top.core_rst_no);
  EXPECT_EQ(bench.stuck, 1);
  bench.slave.frozen_reads = bench.slave.frozen_writes = false;
  for (int i = 0; i < 20000 && !bench.top.core_rst_no; ++i) bench.cycle();
  EXPECT_TRUE(bench.top.core_rst_no);
  bench.cycles(200);
  bench.finish();
  this->expect_clean(bench);
}

// A bus protocol violation is reported, and the outstanding transactions are counted correctly: everything else works
// normally, including reset.

TYPED_TEST(AxiGuard, AnswersThatNobodyWaitsForAreDropped) {
  typename TestFixture::Bench bench(seed());
  int strays = 0;
  auto& slave = bench.slave;
  bench.tamper = [&](auto& top) {
    if (bench.rng() % 8) return;
    const int id = static_cast<int>(bench.rng() % 2);
    if (!top.m_axi_rvalid_i && !slave.reading(id)) {
      top.m_axi_rvalid_i = 1;
      top.m_axi_rid_i = id;
      top.m_axi_rlast_i = bench.rng() % 2;
      ++strays;
    } else if (!top.m_axi_bvalid_i && (id == 1 || !slave.responding())) {
      top.m_axi_bvalid_i = 1;
      top.m_axi_bid_i = id;
      ++strays;
    }
  };
  bench.rates = {5, 5, 20, 50, 16};
  for (int round = 0; round < 20 && !this->HasFailure(); ++round) {
    bench.cycles(300);
    if (round % 2) {
      bench.top.reset_request_i = 1;
      bench.cycles(2);
      for (int i = 0; i < 5000 && !bench.top.core_rst_no; ++i) bench.cycle();
      ASSERT_TRUE(bench.top.core_rst_no) << "the reset waits for answers that are not owed";
    }
  }
  bench.cycles(3);
  bench.finish();
  EXPECT_GT(strays, 200);
  EXPECT_NEAR(bench.broken_rules, strays, strays / 10) << "two in one cycle are one fault";
  EXPECT_EQ(bench.context.errorCount(), 0) << "assertion failures";
}

TYPED_TEST(AxiGuard, EachBrokenRuleHasItsName) {
  typename TestFixture::Bench bench(seed());
  this->calm(bench);
  const auto breaks = [&](auto change, std::uint32_t address) {
    const int before = bench.broken_rules;
    bool done = false;
    bench.tamper = [&](auto& top) {
      if (!done) done = change(top);
    };
    for (int i = 0; i < 30 && bench.broken_rules == before; ++i) bench.cycle();
    bench.tamper = nullptr;
    EXPECT_EQ(bench.broken_rules, before + 1);
    EXPECT_EQ(bench.fault_address, address);
    bench.cycles(20);
  };
  const auto read = [&] {
    bench.load.valid = true;
    bench.load.request = {0, 4};
  };
  const auto idle = [](auto& top) { return top.m_axi_rvalid_i = 1, top.m_axi_rid_i = 1, top.m_axi_rlast_i = 1, true; };
  breaks(idle, 0);
  read();
  breaks([](auto& top) { return top.m_axi_rvalid_i && top.m_axi_rlast_i && (top.m_axi_rlast_i = 0, true); }, 1);
  EXPECT_TRUE(bench.load.expected.empty()) << "the beats have arrived all the same";
  // The last beat comes too early: no response is outstanding any more, and a reset does not wait.
  read();
  int beats = 0;
  breaks(
      [&](auto& top) {
        return top.m_axi_rvalid_i && ++beats == 2 && (top.m_axi_rlast_i = 1, bench.slave.frozen_reads = true);
      },
      1);
  EXPECT_EQ(bench.load.expected.size(), 2u);
  bench.tamper = [](auto&) {};
  bench.top.reset_request_i = 1;
  bench.cycles(10);
  EXPECT_TRUE(bench.top.core_rst_no);
  const int before = bench.broken_rules;
  bench.slave.frozen_reads = false;  // the rest arrives after all, and is dropped
  bench.cycles(20);
  EXPECT_EQ(bench.broken_rules, before + 2);
  bench.tamper = nullptr;
  bench.dropped(2);
  // A response before the data, and one of another identifier.
  for (const int id : {0, 1}) {
    bench.rates.w = 0;
    bench.writer.offer(bench.rng, 100, 0, 8);
    bench.cycles(5);
    breaks([&](auto& top) { return top.m_axi_bvalid_i = 1, top.m_axi_bid_i = id, true; }, 2);
    bench.rates.w = 100;
    bench.finish();
  }
  // The response itself has another identifier: the burst stays outstanding until the right one comes.
  bench.writer.offer(bench.rng, 100, 100, 8);
  breaks([](auto& top) { return top.m_axi_bvalid_i && (top.m_axi_bid_i = 1, true); }, 2);
  bool answered = false;
  bench.tamper = [&](auto& top) {
    if (!answered) answered = (top.m_axi_bvalid_i = 1) != 0;
  };
  bench.cycles(20);
  bench.tamper = nullptr;
  bench.finish();
}

// The assertions must fail when a neighbour violates its protocol.

template <class Bench, class Change>
std::string broken(Change change) {
  Bench bench(seed());
  bench.slave.timing = {0, 0};
  bench.rates = {0, 0, 0, 0, 8};
  bench.cycles(4);
  bench.top.expect_assertions();
  testing::internal::CaptureStdout();
  change(bench.top);
  bench.top.eval();
  for (int i = 0; i < 3; ++i) {
    bench.top.clk_i = 1;
    bench.top.eval();
    bench.top.clk_i = 0;
    bench.top.eval();
  }
  std::fflush(stdout);
  const std::string text = testing::internal::GetCapturedStdout();
  return bench.context.errorCount() ? text : "";
}

TYPED_TEST(AxiGuard, AssertsThatTheLastBeatIsTheBursts) {
  using Bench = typename TestFixture::Bench;
  auto burst = [](auto& top, int beats, bool last) {
    top.w_valid_i = 1;
    top.aw_i = packed(true, {0, beats});
    top.w_last_i = last;
  };
  auto run = [&](int beats, bool last) { return broken<Bench>([&](auto& top) { burst(top, beats, last); }); };
  EXPECT_NE(run(1, false).find("EngineLastMatchesBurst"), std::string::npos);
  EXPECT_NE(run(8, true).find("EngineLastMatchesBurst"), std::string::npos);
  EXPECT_EQ(run(1, true), "");
  EXPECT_EQ(run(8, false), "");
}

}  // namespace
}  // namespace systole::test
