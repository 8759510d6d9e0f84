// SPDX-License-Identifier: Apache-2.0
// The counter that clears memories visits every row once, restarts when it is started again, and then stops.
#include <gtest/gtest.h>

#include "Vclear_few.h"
#include "Vclear_most.h"
#include "block_model.hpp"

namespace {

template <class Model>
void cycle(Model& top, bool start, bool reset = false) {
  top.start_i = start;
  top.rst_ni = !reset;
  top.clk_i = 0;
  top.eval();
  top.clk_i = 1;
  top.eval();
}

/// Starts and expects rows 0 to rows - 1, one a cycle.
template <class Model>
void expect_rows(Model& top, unsigned rows, unsigned started) {
  for (unsigned i = 0; i < started; ++i) cycle(top, true);
  for (unsigned row = 0; row < rows; ++row) {
    ASSERT_TRUE(top.active_o) << row;
    ASSERT_EQ(top.row_o, row);
    cycle(top, false);
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_FALSE(top.active_o);
    cycle(top, false);
  }
}

TEST(Clear, EveryRowOnce) {
  systole::test::BlockModel<Vclear_few> top;
  cycle(top, true, true);
  EXPECT_FALSE(top.active_o) << "the pin's reset clears nothing";
  expect_rows(top, 5, 1);
  expect_rows(top, 5, 7);  // a start that lasts holds it at the first row
}

TEST(Clear, BeginsAgain) {
  systole::test::BlockModel<Vclear_few> top;
  cycle(top, false, true);
  cycle(top, true);
  for (int i = 0; i < 3; ++i) cycle(top, false);
  expect_rows(top, 5, 1);
  cycle(top, true);
  cycle(top, false, true);
  EXPECT_FALSE(top.active_o);
}

TEST(Clear, TheDeepestMemory) {
  systole::test::BlockModel<Vclear_most> top;
  cycle(top, false, true);
  expect_rows(top, 65536, 1);
}

}  // namespace
