// SPDX-License-Identifier: Apache-2.0
// A pipeline that never stalls forgets on reset what is in it.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include "block_model.hpp"

namespace systole::test {

/// Fills the pipeline of `Top`, whose valid_o follows valid_i after `latency` cycles, resets it for one cycle, and
/// expects that no row comes out of it afterwards.
template <class Top>
void expect_reset_forgets_rows(unsigned latency) {
  VerilatedContext context;
  BlockModel<Top> top(&context);
  const auto tick = [&] {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  };
  top.rst_ni = 1;
  top.valid_i = 1;
  for (unsigned i = 0; i < 2 * latency; ++i) tick();
  EXPECT_EQ(top.valid_o, 1);
  top.rst_ni = 0;
  tick();
  top.rst_ni = 1;
  top.valid_i = 0;
  for (unsigned i = 0; i < 2 * latency; ++i) {
    EXPECT_EQ(top.valid_o, 0);
    tick();
  }
  top.final();
}

}  // namespace systole::test
