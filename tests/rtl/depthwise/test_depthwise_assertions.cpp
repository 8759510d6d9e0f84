// SPDX-License-Identifier: Apache-2.0
// Each assertion of the depthwise unit's parts, provoked on purpose at the part's own pins.
#include <gtest/gtest.h>

#include <vector>

#include "Vdepthwise_lanes_dim4.h"
#include "Vdepthwise_weights_dim4.h"
#include "block_model.hpp"

namespace {

template <typename Model>
class Part {
 public:
  Part() {
    top.expect_assertions();
    top.clk_i = 0;
    top.rst_ni = 0;
    tick();
    top.rst_ni = 1;
  }
  ~Part() { top.final(); }

  void tick() {
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
  }
  int errors() { return context_.errorCount(); }

 private:
  VerilatedContext context_;

 public:
  systole::test::BlockModel<Model> top{&context_};
};

/// Positions at the columns given.
int errors_of_columns(const std::vector<int>& columns) {
  Part<Vdepthwise_lanes_dim4> part;
  part.top.step_i = 1;
  for (const int column : columns) {
    part.top.column_i = static_cast<std::uint8_t>(column);
    part.tick();
  }
  return part.errors();
}

TEST(DepthwiseAssertions, ColumnsThreeApart) {
  EXPECT_EQ(errors_of_columns({0, 1, 2, 0, 1, 2}), 0);
  EXPECT_GT(errors_of_columns({0, 1, 0}), 0);
  EXPECT_GT(errors_of_columns({0, 0}), 0);
}

TEST(DepthwiseAssertions, OutputHasPosition) {
  Part<Vdepthwise_lanes_dim4> part;
  part.top.emit_i = 1;
  part.top.step_i = 1;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.top.step_i = 0;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

TEST(DepthwiseAssertions, SwapNeedsWeights) {
  Part<Vdepthwise_weights_dim4> part;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.top.swap_i = 1;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

}  // namespace
