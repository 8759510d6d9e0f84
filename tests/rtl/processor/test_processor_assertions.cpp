// SPDX-License-Identifier: Apache-2.0
// Each assertion of the vector processor and its parts, provoked on purpose: at the part's own pins, or where no pins
// and no kernel bring it about, in its registers.
#include <gtest/gtest.h>

#include "../loop_nest/pins.hpp"
#include "Vprocessor_dim4.h"
#include "Vprocessor_dim4___024root.h"
#include "Vprocessor_multiplier.h"
#include "Vprocessor_strip_issue.h"
#include "Vprocessor_strip_registers.h"
#include "Vprocessor_strip_results.h"
#include "block_model.hpp"
#include "systole/kernel.hpp"

namespace systole::test {
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

  void tick(int count = 1) {
    for (int i = 0; i < count; ++i) {
      top.clk_i = 1;
      top.eval();
      top.clk_i = 0;
      top.eval();
    }
  }
  int errors() { return context_.errorCount(); }

 private:
  VerilatedContext context_;

 public:
  BlockModel<Model> top{&context_};
};

TEST(ProcessorAssertions, MultiplierHasOneRequest) {
  Part<Vprocessor_multiplier> part;
  part.top.scale_valid_i = 1;
  part.tick();
  part.top.scale_valid_i = 0;
  part.top.valid_i = 1;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.top.scale_valid_i = 1;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

TEST(ProcessorAssertions, StoredWasIssued) {
  Part<Vprocessor_strip_issue> part;
  // Members of tpu_strip_pkg::step_t: one row, which is stored.
  constexpr int kStore = 88, kRows = 80;
  part.top.go_i = 1;
  part.top.step_valid_i = 1;
  set_bits(part.top.step_i, kStore, 1, 1);
  set_bits(part.top.step_i, kRows, 4, 1);
  part.tick();
  part.top.step_valid_i = 0;
  part.top.stored_i = 1;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

class RegistersAssertions : public testing::Test {
 protected:
  RegistersAssertions() {
    part_.top.rd_valid_i = 1;
    part_.top.wr_valid_i = 1;
    part_.top.rd_row_i = 5;
    part_.top.wr_row_i = 5;
    part_.top.a_i = 1;
    part_.top.b_i = 2;
    part_.top.d_i = 3;
    part_.tick();
    EXPECT_EQ(part_.errors(), 0);
  }
  Part<Vprocessor_strip_registers> part_;
};

TEST_F(RegistersAssertions, FirstSourceIsNotTheWrittenRow) {
  part_.top.a_i = 3;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(RegistersAssertions, SecondSourceIsNotTheWrittenRow) {
  part_.top.b_i = 3;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

class ResultsAssertions : public testing::Test {
 protected:
  Part<Vprocessor_strip_results> part_;
};

TEST_F(ResultsAssertions, PlaceHasRoom) {
  part_.top.place_valid_i = 1;
  part_.tick(32);
  EXPECT_EQ(part_.errors(), 0);
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(ResultsAssertions, ExponentHasRoom) {
  part_.top.row_valid_i = 1;
  part_.top.row_format_i = static_cast<std::uint8_t>(kernel::Format::kBlocks);
  part_.top.row_ends_block_i = 1;
  testing::internal::CaptureStdout();
  part_.tick(17);
  std::fflush(stdout);
  EXPECT_NE(testing::internal::GetCapturedStdout().find("ExponentHasRoom"), std::string::npos);
}

TEST_F(ResultsAssertions, RowHasRoom) {
  part_.top.place_valid_i = 1;
  part_.top.place_format_i = static_cast<std::uint8_t>(kernel::Format::kAcc);  // whose port does not grant
  part_.tick();
  part_.top.place_valid_i = 0;
  part_.top.row_valid_i = 1;
  part_.tick(16);
  EXPECT_EQ(part_.errors(), 0);
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(ResultsAssertions, RowHasPlace) {
  part_.top.row_valid_i = 1;
  part_.tick(2);
  EXPECT_EQ(part_.errors(), 0);
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

class WholeProcessorAssertions : public testing::Test {
 protected:
  /// Runs a kernel until its first row is about to be issued.
  WholeProcessorAssertions() {
    auto& top = part_.top;
    const kernel::Kernel kernel = kernel::assemble("kernel one()\nvector x\nsum_lanes x, x\nend\n");
    top.kernel_wr_valid_i = 1;
    for (int row = 0; row < 4; ++row) {
      top.kernel_wr_row_i = static_cast<std::uint16_t>(row);
      top.kernel_wr_data_i =
          static_cast<std::uint32_t>(kernel.words[static_cast<std::size_t>(row / 2)] >> 32 * (row % 2));
      part_.tick();
    }
    top.kernel_wr_valid_i = 0;
    top.go_i = 1;
    top.start_valid_i = 1;
    part_.tick();
    top.start_valid_i = 0;
    for (int i = 0; i < 10 && !top.slot_o; ++i) part_.tick();
    EXPECT_TRUE(top.slot_o);
    EXPECT_EQ(part_.errors(), 0);
  }
  Part<Vprocessor_dim4> part_;
};

TEST_F(WholeProcessorAssertions, OverLanesToRegisters) {
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  auto& steps = part_.top.rootp->processor_top__DOT__u_processor__DOT__u_sequencer__DOT__steps_q;
  constexpr int kStore = 88, kStep = 176;  // a bit of tpu_strip_pkg::step_t, and its size
  for (const int bit : {kStore, kStep + kStore}) steps[bit / 32] |= 1U << bit % 32;
  part_.tick(2);
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(WholeProcessorAssertions, RowIsInFlight) {
  part_.top.go_i = 0;
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  part_.top.rootp->processor_top__DOT__u_processor__DOT__u_lanes__DOT__round_valid_q = 1;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(WholeProcessorAssertions, OneFault) {
  auto& registers = *part_.top.rootp;
  registers.processor_top__DOT__u_processor__DOT__u_issue__DOT__fault_o = std::uint64_t{1} << 40;
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  registers.processor_top__DOT__u_processor__DOT__u_issue__DOT__fault_o = std::uint64_t{1} << 40;
  registers.processor_top__DOT__u_processor__DOT__u_results__DOT__fault_o = std::uint64_t{1} << 40;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

}  // namespace
}  // namespace systole::test
