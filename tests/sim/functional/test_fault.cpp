// SPDX-License-Identifier: Apache-2.0
// Every error code that an instruction can raise, with its address, and which of two errors wins.
#include "model_bench.hpp"
#include "whole_configurations.hpp"

namespace systole {
namespace {

using isa::ErrorCode;
using model::Machine;

class Faults : public testing::TestWithParam<Configuration> {
 protected:
  Faults() : bench(GetParam()) {}

  template <typename Op>
  void expect(const Op& op, ErrorCode code, std::uint32_t address) {
    for (const bool fast : {true, false}) {
      bench.machine.reset();
      bench.machine.use_fast_paths(fast);
      ASSERT_EQ(bench.machine.execute(op.encode()), Machine::Outcome::kError);
      const auto& error = bench.machine.error();
      EXPECT_EQ(isa::to_string(error.code), std::string(isa::to_string(code)));
      EXPECT_EQ(error.engine, code == ErrorCode::kIllegalInstruction ? isa::Engine::kCommand : Op::kEngine);
      EXPECT_EQ(error.address, address) << error.text;
      EXPECT_NE(error.text.find(isa::remedy(code)), std::string::npos);
    }
  }

  std::uint16_t scratch_rows() { return static_cast<std::uint16_t>(GetParam().scratch_end()); }
  std::uint16_t acc_rows() { return static_cast<std::uint16_t>(GetParam().acc_rows); }
  std::uint16_t param_rows() { return static_cast<std::uint16_t>(GetParam().param_rows); }

  test::Bench bench;
};

TEST_P(Faults, IllegalInstructionGivesItsFirstWord) {
  isa::Map op;
  op.clamp_min = 1;
  op.table = 1;
  expect(op, ErrorCode::kIllegalInstruction, 0x138);
  EXPECT_NE(bench.machine.error().text.find("clamp_min exceeds clamp_max"), std::string::npos);
  EXPECT_EQ(bench.machine.commands(), 0u);
}

TEST_P(Faults, IndexCountsCommandsAndNothingRunsAfterwards) {
  bench.execute(isa::SyncMxu{});
  bench.execute(isa::SyncLoad{});
  isa::Map op;
  op.dst = scratch_rows();
  EXPECT_EQ(bench.machine.execute(op.encode()), Machine::Outcome::kError);
  EXPECT_EQ(bench.machine.error().index, 2u);
  EXPECT_EQ(bench.machine.commands(), 3u);
  EXPECT_EQ(bench.machine.execute(isa::SyncMxu{}.encode()), Machine::Outcome::kError);
  EXPECT_EQ(bench.machine.error().index, 2u);
  bench.machine.reset();
  bench.execute(isa::SyncMxu{});
}

TEST_P(Faults, Load) {
  isa::Load op;
  op.valid_to = 1;
  op.run_bytes = op.piece_bytes = op.slot_bytes = static_cast<std::uint16_t>(GetParam().dim * 3);
  op.dst_block = 1;
  op.dst = static_cast<std::uint16_t>(scratch_rows() - 2);
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.space = 2;
  op.dst = static_cast<std::uint16_t>(param_rows() - 1);
  expect(op, ErrorCode::kParamRange, param_rows());
  op.space = 1;
  op.dst = 65535;
  bench.machine.reset();
  bench.execute(op);  // the ring has no end
}

TEST_P(Faults, TheFirstWrongRunOfALoadDecides) {
  isa::Load op;
  op.run_bytes = 16;
  op.slot_bytes = 1;
  op.dst = scratch_rows();
  op.count0 = op.valid_to = 4;
  op.src = static_cast<std::uint32_t>(test::kMemoryBytes) - 48;
  op.src_stride0 = 16;
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.src += 48;  // run 0 is outside of the window, too, and that comes first
  expect(op, ErrorCode::kWindow, static_cast<std::uint32_t>(test::kMemoryBytes));
  op.valid_from = 4;  // all runs are fill now
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.dst_stride0 = 1;  // the rows are wrong from run 1 on, the window from run 3
  op.dst = static_cast<std::uint16_t>(scratch_rows() - 1);
  op.src -= 48;
  op.valid_from = 0;
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.dst = static_cast<std::uint16_t>(scratch_rows() - 4);
  expect(op, ErrorCode::kWindow, static_cast<std::uint32_t>(test::kMemoryBytes));
}

TEST_P(Faults, Windows) {
  auto& windows = bench.state().windows();
  windows[2] = {0x1000, 0x100, isa::kPermissionRead};
  isa::Load load;
  load.window = 2;
  load.valid_to = 1;
  load.src = 0xf0;
  load.run_bytes = 16;
  bench.execute(load);
  load.run_bytes = 17;
  expect(load, ErrorCode::kWindow, 0xf0);
  load.src = 0xfffffff0;
  expect(load, ErrorCode::kWindow, 0xfffffff0);
  isa::Store store;
  store.window = 2;
  expect(store, ErrorCode::kWindow, 0);  // no write permission
  windows[2].permission = isa::kPermissionWrite;
  bench.machine.reset();
  bench.execute(store);
  load.src = 0;
  expect(load, ErrorCode::kWindow, 0);
}

TEST_P(Faults, TheFirstWrongRunOfAStoreDecides) {
  isa::Store op;
  op.src = scratch_rows();
  op.count1 = 2;
  op.dst_stride1 = -1;
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.dst = 0xffffffff;  // run 0 is outside of the window, too, and that comes first
  expect(op, ErrorCode::kWindow, 0xffffffff);
  op.dst = 0;  // run 1 has both errors
  op.src_stride1 = 1;
  op.src = static_cast<std::uint16_t>(scratch_rows() - 1);
  expect(op, ErrorCode::kWindow, 0xffffffff);
}

TEST_P(Faults, MemoryThatIsNotThere) {
  const auto end = static_cast<std::uint32_t>(test::kMemoryBytes);
  bench.state().windows()[1] = {end - 64, 1024, isa::kPermissionRead | isa::kPermissionWrite};
  isa::Load load;
  load.window = 1;
  load.valid_to = 1;
  load.run_bytes = 100;
  expect(load, ErrorCode::kAxiRead, end);
  load.src = 64 + 33;
  expect(load, ErrorCode::kAxiRead, end + 33 - 33 % static_cast<unsigned>(GetParam().dim));
  isa::Store store;
  store.window = 1;
  store.piece_bytes = 100;
  store.src_block = 1;
  expect(store, ErrorCode::kAxiWrite, end);
}

TEST_P(Faults, Conv) {
  isa::Conv op;
  op.acc_row = acc_rows();
  op.act_row = scratch_rows();
  expect(op, ErrorCode::kAccRange, acc_rows());  // before the activation of the same position
  op.acc_row = static_cast<std::uint16_t>(acc_rows() - 1);
  op.out_width = 2;
  expect(op, ErrorCode::kScratchRange, scratch_rows());  // position 0 comes first
  op.y0 = -1;                                            // all padding: nothing is read
  expect(op, ErrorCode::kAccRange, acc_rows());
  op.blocks = static_cast<std::uint16_t>(GetParam().weight_rows / GetParam().dim + 1);
  expect(op, ErrorCode::kWeightRange, static_cast<std::uint32_t>(GetParam().weight_rows + GetParam().dim));
}

TEST_P(Faults, Depthwise) {
  isa::Depthwise op;
  op.acc_row = static_cast<std::uint16_t>(acc_rows() - 1);
  op.act_row = scratch_rows();
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.out_width = 2;
  expect(op, ErrorCode::kAccRange, acc_rows());  // before anything is read
  op.acc_row = static_cast<std::uint16_t>(acc_rows() + 3);
  expect(op, ErrorCode::kAccRange, acc_rows() + 3u);
  op.blocks = static_cast<std::uint16_t>(GetParam().weight_rows + 1);
  expect(op, ErrorCode::kWeightRange, static_cast<std::uint32_t>(GetParam().weight_rows + 1));
  op = {};
  op.act_row = static_cast<std::uint16_t>(scratch_rows() - 1);
  op.in_width = op.stride_w = 3;
  op.out_width = 2;
  expect(op, ErrorCode::kScratchRange, scratch_rows());  // passes, although the stride leaves it out
}

TEST_P(Faults, Drain) {
  isa::Drain op;
  op.params = static_cast<std::uint16_t>(param_rows() - 8);
  op.src = acc_rows();
  expect(op, ErrorCode::kParamRange, param_rows());
  op.params = 0;
  op.scalars = static_cast<std::uint16_t>(param_rows() - 5);
  expect(op, ErrorCode::kAccRange, acc_rows());  // scalars are not read without residual
  op.residual = 1;
  expect(op, ErrorCode::kParamRange, param_rows());
  op.scalars = 0;
  op.src = 0;
  op.src2 = static_cast<std::uint16_t>(scratch_rows() + 1);
  op.dst = scratch_rows();
  expect(op, ErrorCode::kScratchRange, scratch_rows() + 1u);
  op.residual = 0;
  expect(op, ErrorCode::kScratchRange, scratch_rows());
}

TEST_P(Faults, RawAccumulators) {
  isa::Drain32 out;
  out.src = acc_rows();
  out.dst = scratch_rows();
  expect(out, ErrorCode::kAccRange, acc_rows());
  out.src = 0;
  out.dst = static_cast<std::uint16_t>(scratch_rows() - 2);
  out.plane_stride = 1;
  expect(out, ErrorCode::kScratchRange, scratch_rows());
  isa::Preload in;
  in.dst = acc_rows();
  in.src = static_cast<std::uint16_t>(scratch_rows() - 3);
  in.plane_stride = 1;
  expect(in, ErrorCode::kScratchRange, scratch_rows());
  in.plane_stride = 0;
  expect(in, ErrorCode::kAccRange, acc_rows());
}

TEST_P(Faults, Pools) {
  isa::Avgpool op;
  op.kernel_w = op.in_width = 2;
  op.src = static_cast<std::uint16_t>(scratch_rows() - 1);
  op.dst = scratch_rows();
  op.scalars = param_rows();
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  op.x0 = 1;  // one tap inside, one outside: entry 1
  op.src = 0;
  op.scalars = static_cast<std::uint16_t>(param_rows() - 2);
  expect(op, ErrorCode::kParamRange, param_rows());
  op.count_padding = 1;  // entry 0
  expect(op, ErrorCode::kScratchRange, scratch_rows());
  isa::Maxpool max;
  max.dst = scratch_rows();
  expect(max, ErrorCode::kScratchRange, scratch_rows());
}

TEST_P(Faults, ElementWise) {
  isa::Add add;
  add.scalars = static_cast<std::uint16_t>(param_rows() - 5);
  add.src = scratch_rows();
  expect(add, ErrorCode::kParamRange, param_rows());
  add.scalars = 0;
  add.src2 = static_cast<std::uint16_t>(scratch_rows() + 2);
  expect(add, ErrorCode::kScratchRange, scratch_rows());
  isa::Multiply multiply;
  multiply.src2 = static_cast<std::uint16_t>(scratch_rows() + 2);
  multiply.dst = scratch_rows();
  expect(multiply, ErrorCode::kScratchRange, scratch_rows() + 2u);
  isa::Table table;
  table.params = static_cast<std::uint16_t>(param_rows() - 1);
  expect(table, ErrorCode::kParamRange, param_rows());
}

TEST_P(Faults, Semaphores) {
  isa::SyncVpu signal;
  signal.sem.signal0_sem = 9;
  signal.sem.signal0_amount = 200;
  bench.execute(signal);
  EXPECT_EQ(bench.machine.semaphores()[9], 200);
  EXPECT_EQ(bench.machine.execute(signal.encode()), Machine::Outcome::kError);
  EXPECT_EQ(bench.machine.error().code, ErrorCode::kSemaphoreOverflow);
  EXPECT_EQ(bench.machine.error().engine, isa::Engine::kVpu);
  EXPECT_EQ(bench.machine.error().index, 1u);
  EXPECT_EQ(bench.machine.error().address, 9u);

  bench.machine.reset();
  bench.execute(signal);
  EXPECT_EQ(bench.machine.execute(isa::End{}.encode()), Machine::Outcome::kError);
  EXPECT_EQ(bench.machine.error().code, ErrorCode::kSemaphoreAtEnd);
  EXPECT_EQ(bench.machine.error().address, 9u);
  EXPECT_EQ(bench.machine.error().index, 1u);
  EXPECT_EQ(bench.machine.commands(), 1u);
}

TEST_P(Faults, BothWaitsAreTakenTogetherOrNotAtAll) {
  isa::SyncVpu signal;
  signal.sem.signal0_sem = 4;
  signal.sem.signal0_amount = 3;
  bench.execute(signal);
  isa::SyncMxu wait;
  wait.sem.wait0_sem = 4;
  wait.sem.wait0_amount = 2;
  wait.sem.wait1_sem = 5;
  wait.sem.wait1_amount = 1;
  EXPECT_EQ(bench.machine.execute(wait.encode()), Machine::Outcome::kBlocked);
  EXPECT_EQ(bench.machine.semaphores()[4], 3);
  EXPECT_EQ(bench.machine.blocked().semaphore, 5);
  EXPECT_EQ(bench.machine.blocked().engine, isa::Engine::kMxu);
  signal.sem.signal0_sem = 5;
  bench.execute(signal);
  bench.execute(wait);
  EXPECT_FALSE(bench.machine.blocked().blocked);
  EXPECT_EQ(bench.machine.semaphores()[4], 1);
  EXPECT_EQ(bench.machine.semaphores()[5], 2);
}

INSTANTIATE_TEST_SUITE_P(All, Faults, testing::ValuesIn(test::whole_configurations()), test::ConfigurationName());

}  // namespace
}  // namespace systole
