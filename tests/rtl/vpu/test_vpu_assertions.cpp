// SPDX-License-Identifier: Apache-2.0
// Each assertion of the vector unit's parts, provoked on purpose at the part's own pins.
#include <gtest/gtest.h>

#include "../loop_nest/pins.hpp"
#include "Vvpu_control_rows.h"
#include "Vvpu_finish_dim4.h"
#include "Vvpu_gather_dim4.h"
#include "Vvpu_output_dim4.h"
#include "Vvpu_slots_dim4.h"
#include "Vvpu_table_dim4.h"
#include "Vvpu_whole_dim4.h"
#include "Vvpu_whole_dim4___024root.h"
#include "block_model.hpp"
#include "systole/generated/isa.hpp"

namespace {

using systole::test::set_bits;

template <typename Model>
class Part {
 public:
  Part() {
    top.expect_assertions();
    top.clk_i = 0;
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
  systole::test::BlockModel<Model> top{&context_};
};

class GatherAssertions : public testing::Test {
 protected:
  GatherAssertions() {
    part_.top.rst_ni = 0;
    part_.tick();
    part_.top.rst_ni = 1;
    part_.top.issue_i = 1;
    part_.top.read_i = kLast;
  }
  static constexpr int kLast = 1 << 4, kSide = 1;  // members of tpu_vpu_pkg::read_t
  Part<Vvpu_gather_dim4> part_;
};

TEST_F(GatherAssertions, OperandNotOverwritten) {
  part_.top.take_i = 1;
  part_.tick(5);
  EXPECT_EQ(part_.errors(), 0);
  part_.top.take_i = 0;
  part_.tick(3);
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(GatherAssertions, SideHasRoom) {
  part_.top.read_i = kSide;
  part_.tick(5);
  EXPECT_EQ(part_.errors(), 0);
  part_.tick(2);
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(GatherAssertions, SideIsThere) {
  part_.top.issue_i = 0;
  part_.tick(2);
  EXPECT_EQ(part_.errors(), 0);
  part_.top.side_take_i = 1;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

class SlotsAssertions : public testing::Test {
 protected:
  SlotsAssertions() {
    part_.top.rst_ni = 0;
    part_.tick();
    part_.top.rst_ni = 1;
  }
  static constexpr int kDrain = 68, kAdd = 65;  // members of tpu_vpu_pkg::operation_t
  Part<Vvpu_slots_dim4> part_;
};

TEST_F(SlotsAssertions, MiddleInItsSlot) {
  part_.tick(2);
  EXPECT_EQ(part_.errors(), 0);
  part_.top.middle_valid_i = 1;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(SlotsAssertions, OneSlotPerCycle) {
  set_bits(part_.top.run_i, kAdd, 1, 1);
  part_.top.full_i = 1;
  part_.tick(20);  // rows start as the schedule allows
  EXPECT_EQ(part_.errors(), 0);
  set_bits(part_.top.run_i, kDrain, 1, 1);  // no command is both: its value slot collides with the second operand's
  part_.tick(8);
  EXPECT_GT(part_.errors(), 0);
}

TEST(VpuAssertions, FinishHasOneSource) {
  Part<Vvpu_finish_dim4> part;
  part.top.rst_ni = 1;
  part.top.value_valid_i = 1;
  part.tick(2);
  EXPECT_EQ(part.errors(), 0);
  part.top.bypass_i = 1;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

TEST(VpuAssertions, CommitIsOwed) {
  Part<Vvpu_control_rows> part;
  part.top.rst_ni = 0;
  part.tick();
  part.top.rst_ni = 1;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.top.commit_i = 1;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

TEST(VpuAssertions, KernelIsRunning) {
  Part<Vvpu_control_rows> part;
  part.top.rst_ni = 0;
  part.tick();
  part.top.rst_ni = 1;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.top.kernel_done_i = 1;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

/// The whole unit, at rest; no port grants, and every word of the kernel memory is an `end`.
class SharedPortAssertions : public testing::Test {
 protected:
  SharedPortAssertions() {
    part_.top.rst_ni = 0;
    part_.tick(2);
    part_.top.rst_ni = 1;
    part_.tick();
    part_.top.cmd_instr_i[0] = static_cast<std::uint32_t>(systole::isa::Opcode::kVector);
  }

  Part<Vvpu_whole_dim4> part_;
  Vvpu_whole_dim4___024root& inside_ = *part_.top.rootp;
};

TEST_F(SharedPortAssertions, KernelCanStart) {
  inside_.tpu_vpu__DOT__gen_processor__DOT__u_processor__DOT__stopped_q = 1;
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  part_.top.cmd_valid_i = 1;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(SharedPortAssertions, KernelMayUsePorts) {
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  inside_.tpu_vpu__DOT__gen_processor__DOT__u_processor__DOT__u_results__DOT__u_places__DOT__valid_q = 1;
  inside_.tpu_vpu__DOT__gen_processor__DOT__u_processor__DOT__u_results__DOT__u_rows__DOT__valid_q = 1;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(SharedPortAssertions, KernelIsAlone) {
  part_.top.cmd_valid_i = 1;
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  inside_.tpu_vpu__DOT__u_output__DOT__u_places__DOT__level_q = 1;
  inside_.tpu_vpu__DOT__u_output__DOT__wr_valid_o = 1;
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST(VpuAssertions, TableHasOneLookUp) {
  Part<Vvpu_table_dim4> part;
  part.top.rst_ni = 1;
  part.top.byte_lookup_i = 1;
  part.tick();
  part.top.byte_lookup_i = 0;
  part.top.word_lookup_i = 1;
  part.tick();
  EXPECT_EQ(part.errors(), 0);
  part.top.byte_lookup_i = 1;
  part.tick();
  EXPECT_GT(part.errors(), 0);
}

class OutputAssertions : public testing::Test {
 protected:
  OutputAssertions() {
    part_.top.rst_ni = 0;
    part_.tick();
    part_.top.rst_ni = 1;
  }
  Part<Vvpu_output_dim4> part_;
};

TEST_F(OutputAssertions, PlaceHasRoom) {
  part_.top.place_valid_i = 1;
  part_.tick(16);
  EXPECT_EQ(part_.errors(), 0);
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

TEST_F(OutputAssertions, RowHasPlace) {
  part_.top.row_valid_i = 1;
  part_.tick();
  EXPECT_EQ(part_.errors(), 0);
  part_.tick();
  EXPECT_GT(part_.errors(), 0);
}

}  // namespace
