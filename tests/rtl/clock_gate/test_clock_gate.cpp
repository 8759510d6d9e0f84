// SPDX-License-Identifier: Apache-2.0
// The clock gate: the edge of an enabled cycle passes, the clock runs on for the grace cycles and then stops, and no
// pulse is ever cut short.
#include <gtest/gtest.h>

#include <random>

#include "Vclock_gate_always.h"
#include "Vclock_gate_exact.h"
#include "Vclock_gate_gated.h"
#include "block_model.hpp"
#include "seed.hpp"

namespace {

constexpr int kLinger = 3;

/// One cycle with the enable changing while the clock is high, as registers of the free clock make it change. Returns
/// whether the gated clock rose.
template <class Model>
bool cycle(Model& top, bool enable) {
  top.en_i = enable;
  top.eval();  // the clock is still high from the cycle before
  top.clk_i = 0;
  top.eval();
  EXPECT_FALSE(top.clk_o);
  top.clk_i = 1;
  top.eval();
  const bool rose = top.clk_o;
  for (const bool flip : {!enable, enable}) {
    top.en_i = flip;
    top.eval();
    EXPECT_EQ(static_cast<bool>(top.clk_o), rose) << "the gated clock changed while the clock was high";
  }
  return rose;
}

template <class Model>
void reset(Model& top) {
  top.clk_i = 1;
  top.rst_ni = 0;
  top.test_en_i = 0;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(i == 0 || cycle(top, false)) << "reset needs its clock";
  top.rst_ni = 1;
  for (int i = 0; i < kLinger; ++i) cycle(top, false);
}

TEST(ClockGate, PassesWhatIsEnabledAndLingers) {
  std::mt19937_64 rng(systole::test::seed());
  systole::test::BlockModel<Vclock_gate_gated> top;
  reset(top);
  EXPECT_FALSE(cycle(top, false)) << "the clock does not rest";
  int left = 0;
  for (int i = 0; i < 5000; ++i) {
    const bool enable = rng() % 5 == 0;
    EXPECT_EQ(cycle(top, enable), enable || left > 0) << "cycle " << i;
    left = enable ? kLinger : left - (left > 0);
  }
}

TEST(ClockGate, WithoutLingeringPassesEnabledCyclesAlone) {
  std::mt19937_64 rng(systole::test::seed());
  systole::test::BlockModel<Vclock_gate_exact> top;
  reset(top);
  for (int i = 0; i < 5000; ++i) {
    const bool enable = rng() % 3 == 0;
    EXPECT_EQ(cycle(top, enable), enable) << "cycle " << i;
  }
}

TEST(ClockGate, PassesWhatAPinWakes) {
  std::mt19937_64 rng(systole::test::seed());
  systole::test::BlockModel<Vclock_gate_gated> top;
  reset(top);
  int left = 0;
  for (int i = 0; i < 5000; ++i) {
    const bool enable = rng() % 9 == 0, wake = rng() % 9 == 0;
    top.wake_i = wake;
    EXPECT_EQ(cycle(top, enable), enable || wake || left > 0) << "cycle " << i;
    left = enable || wake ? kLinger : left - (left > 0);
  }
}

TEST(ClockGate, RunsWhileScanChainsAreShifted) {
  std::mt19937_64 rng(systole::test::seed());
  systole::test::BlockModel<Vclock_gate_exact> top;
  reset(top);
  for (int i = 0; i < 1000; ++i) {
    const bool shifting = rng() % 2 == 0;
    top.test_en_i = shifting;
    EXPECT_EQ(cycle(top, false), shifting) << "cycle " << i;
  }
}

TEST(ClockGate, UngatedAlwaysRuns) {
  systole::test::BlockModel<Vclock_gate_always> top;
  reset(top);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(cycle(top, false));
}

}  // namespace
