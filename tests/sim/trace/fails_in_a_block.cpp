// SPDX-License-Identifier: Apache-2.0
// Benches of a block for the tests of scripts/waves: one passes, and in the others every cycle from a known one on is
// wrong, by an assertion of the RTL, by a comparison, and by an exception of the bench.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

#include "Vkernel_memory_dim4.h"
#include "block_model.hpp"
#include "seed.hpp"
#include "systole/generated/micro_operations.hpp"

namespace systole::test {
namespace {

constexpr int kRows = kernel::kMemoryWords * 8 / 4;
constexpr std::uint64_t kWrong = 3000, kCycles = 3100;

class InABlock : public testing::Test {
 protected:
  InABlock() {
    seed(5);
    top_.rst_ni = 1;
    top_.clear_i = top_.rd_valid_i = 0;
    top_.wr_valid_i = 1;
    top_.wr_mask_i = 15;
  }
  ~InABlock() override {
    fmt::print("{} cycles were begun\n", begun_);
    top_.final();
  }

  /// One cycle, in which a row is written.
  void cycle(int row) {
    ++begun_;
    top_.wr_row_i = static_cast<std::uint16_t>(row);
    top_.wr_data_i = begun_;
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
  }

  VerilatedContext context_;
  BlockModel<Vkernel_memory_dim4> top_{&context_};
  std::uint32_t begun_ = 0;
};

TEST_F(InABlock, Passes) {
  for (std::uint64_t i = 0; i < kCycles; ++i) cycle(3);
}

TEST_F(InABlock, Asserts) {
  for (std::uint64_t i = 0; i < kCycles; ++i) cycle(i < kWrong ? 3 : kRows + 2);
}

TEST_F(InABlock, Compares) {
  for (std::uint64_t i = 0; i < kCycles; ++i) {
    cycle(3);
    EXPECT_LE(begun_, kWrong) << "the first that is wrong";
  }
}

TEST_F(InABlock, Throws) {
  for (std::uint64_t i = 0; i < kCycles; ++i) {
    cycle(3);
    if (begun_ > kWrong) throw std::runtime_error("no more");
  }
}

TEST_F(InABlock, ExpectsTheAssertion) {
  top_.expect_assertions();
  for (std::uint64_t i = 0; i < kCycles; ++i) cycle(i < kWrong ? 3 : kRows + 2);
  EXPECT_EQ(context_.errorCount(), static_cast<int>(kCycles - kWrong));
}

}  // namespace
}  // namespace systole::test
