// SPDX-License-Identifier: Apache-2.0
// Errors that random corruption does not reach: ring, JUMP, fetch and semaphores. Both back ends record the error
// expected here, and work after a reset.
#include "cores.hpp"
#include "functional_coverage.hpp"
#include "pair.hpp"
#include "systole/kernel.hpp"

namespace systole::programs {
namespace {

using isa::ErrorCode;

struct Expected {
  ErrorCode code;
  isa::Engine engine;
  std::uint32_t index;
  std::uint32_t address;
};

constexpr std::uint32_t kAll = isa::kPermissionRead | isa::kPermissionWrite | isa::kPermissionExecute;
constexpr std::uint32_t kBodies = 0x4000;  // window offset of JUMP targets

/// Window 0 for data, 1 closed to fetch, 3 for code.
Setting plain() {
  Setting s;
  s.windows[0] = {kData, kDataBytes, isa::kPermissionRead | isa::kPermissionWrite};
  s.windows[1] = {kCode, kCodeBytes, isa::kPermissionRead};
  s.windows[3] = {kCode, kCodeBytes, kAll};
  s.ring_log2 = 4;
  return s;
}

isa::Instruction jump(std::uint32_t target, std::uint32_t count, int window = 3) {
  isa::Jump op;
  op.target = target;
  op.count = count;
  op.window = static_cast<std::uint8_t>(window);
  return op.encode();
}

template <class Op>
isa::Instruction signal(Op op, int semaphore, int amount) {
  op.sem.signal0_sem = static_cast<std::uint8_t>(semaphore);
  op.sem.signal0_amount = static_cast<std::uint8_t>(amount);
  return op.encode();
}

class Errors : public ::testing::TestWithParam<std::string> {
 protected:
  void expect(const Setting& setting, const Batch& batch, const Expected& expected) {
    Source source(3);
    for (const unsigned latency : {1u, 100u}) {
      BackendOptions options = quick_timing(GetParam());
      options.memory.read_latency = options.memory.write_latency = latency;
      options.stall_percent = latency > 1 ? 30 : 0;
      Pair pair(options, setting, source);
      for (Session* side : {&pair.model, &pair.rtl}) {
        const Outcome outcome = side->run(batch, 5000);
        SCOPED_TRACE(side->device().name() + ": " + outcome.text());
        EXPECT_EQ(to_string(static_cast<ErrorCode>(outcome.error_code & 0xFF)), std::string(to_string(expected.code)));
        EXPECT_EQ(outcome.error_code >> reg::kErrorCodeEngineLsb, static_cast<std::uint32_t>(expected.engine));
        EXPECT_EQ(outcome.error_index, expected.index);
        EXPECT_EQ(outcome.error_address, expected.address);
        EXPECT_TRUE(outcome.irq & reg::kIrqStatusError);
        EXPECT_TRUE(outcome.status & reg::kStatusHalted);
        ASSERT_TRUE(side->reset());
        EXPECT_EQ(side->status(), 0u);
        // The same device runs the next program after only a reset.
        Batch good;
        good.ring = {isa::End{}.encode()};
        good.ends = 1;
        if (setting.windows[3].base == kCode && setting.windows[3].size == kCodeBytes) {
          EXPECT_TRUE(side->run(good).good());
        }
      }
      test::ran(to_string(expected.engine), "-", options.stall_percent > 0, to_string(expected.code));
    }
  }
  /// Runs them one after another on the same devices, with a reset between, which must clear the previous error.
  void expect_each(const std::vector<std::pair<std::vector<isa::Instruction>, Expected>>& list) {
    Source source(6);
    Pair pair(quick_timing(GetParam()), plain(), source);
    for (const auto& [ring, expected] : list) {
      for (Session* side : {&pair.model, &pair.rtl}) {
        const Outcome outcome = side->run({ring, {}, 1}, 5000);
        SCOPED_TRACE(side->device().name() + ": " + outcome.text());
        EXPECT_EQ(outcome.error_code, static_cast<std::uint32_t>(expected.code) |
                                          static_cast<std::uint32_t>(expected.engine) << reg::kErrorCodeEngineLsb);
        EXPECT_EQ(outcome.error_address, expected.address);
        ASSERT_TRUE(side->reset());
      }
      test::ran(to_string(expected.engine), "-", false, to_string(expected.code));
    }
  }
  void expect(const std::vector<isa::Instruction>& ring, const Expected& expected) {
    expect(plain(), {ring, {}, 1}, expected);
  }
};

TEST_P(Errors, JumpInsideJump) {
  Batch batch;
  batch.ring = {isa::SyncLoad{}.encode(), jump(kBodies, 3), isa::End{}.encode()};
  batch.bodies = {{kCode + kBodies, {isa::SyncMxu{}.encode(), jump(kBodies + 0x1000, 1), isa::SyncVpu{}.encode()}}};
  expect(plain(), batch, {ErrorCode::kJump, isa::Engine::kCommand, 3, kBodies + 0x1000});
}

TEST_P(Errors, JumpOutOfTheWindow) {
  expect({jump(kCodeBytes, 1), isa::End{}.encode()}, {ErrorCode::kWindow, isa::Engine::kCommand, 1, kCodeBytes});
}

TEST_P(Errors, JumpedToProgramLeavesTheWindow) {
  Batch batch;
  batch.ring = {jump(kCodeBytes - 3 * 64, 5), isa::End{}.encode()};
  batch.bodies = {{kCode + kCodeBytes - 3 * 64, {3, isa::SyncStore{}.encode()}}};
  expect(plain(), batch, {ErrorCode::kWindow, isa::Engine::kCommand, 4, kCodeBytes});
}

TEST_P(Errors, JumpWithoutExecutePermission) {
  expect({isa::SyncVpu{}.encode(), jump(kBodies, 1, 1), isa::End{}.encode()},
         {ErrorCode::kWindow, isa::Engine::kCommand, 2, kBodies});
}

TEST_P(Errors, JumpToAnIllegalInstruction) {
  isa::Instruction zero;
  Batch batch;
  batch.ring = {jump(kBodies, 2), isa::End{}.encode()};
  batch.bodies = {{kCode + kBodies, {isa::SyncMxu{}.encode(), zero}}};
  expect(plain(), batch, {ErrorCode::kIllegalInstruction, isa::Engine::kCommand, 2, 0});
}

TEST_P(Errors, RingLeavesTheWindow) {
  Setting setting = plain();
  setting.windows[3].size = 5 * 64;
  const Batch batch{std::vector<isa::Instruction>(9, isa::SyncLoad{}.encode()), {}, 1};
  expect(setting, batch, {ErrorCode::kWindow, isa::Engine::kCommand, 5, 5 * 64});
}

TEST_P(Errors, RingWithoutMemory) {
  Setting setting = plain();
  setting.windows[3] = {static_cast<std::uint32_t>(kMemoryBytes) - 4096, 0x10000, kAll};
  setting.ring_base = 4096 - 3 * 64;
  Source source(4);
  // The host cannot write the ring beyond the memory either, so the existing entries come from a shorter batch.
  for (const unsigned stalls : {0u, 30u}) {
    BackendOptions options = quick_timing(GetParam());
    options.stall_percent = stalls;
    Pair pair(options, setting, source);
    for (Session* side : {&pair.model, &pair.rtl}) {
      side->start({std::vector<isa::Instruction>(3, isa::SyncLoad{}.encode()), {}, 1});
      side->device().write_register(reg::kTail, 6);
      const Outcome outcome = side->finish(5000);
      EXPECT_EQ(outcome.error_code, static_cast<std::uint32_t>(ErrorCode::kAxiRead) | 4u << reg::kErrorCodeEngineLsb)
          << outcome.text();
      EXPECT_EQ(outcome.error_index, 3u);
      EXPECT_EQ(outcome.error_address, kMemoryBytes);
      EXPECT_TRUE(side->reset());
    }
    test::ran("COMMAND", "-", stalls > 0, "AXI_READ");
  }
}

TEST_P(Errors, TailPastTheRing) {
  Source source(5);
  for (const unsigned stalls : {0u, 30u}) {
    BackendOptions options = quick_timing(GetParam());
    options.stall_percent = stalls;
    Pair pair(options, plain(), source);
    for (Session* side : {&pair.model, &pair.rtl}) {
      ASSERT_TRUE(side->run({{isa::SyncLoad{}.encode(), isa::End{}.encode()}, {}, 1}).good());
      side->device().write_register(reg::kTail, 2 + 16 + 1);
      const Outcome outcome = side->finish(5000);
      EXPECT_EQ(outcome.error_code, static_cast<std::uint32_t>(ErrorCode::kRing) | 4u << reg::kErrorCodeEngineLsb)
          << outcome.text();
      EXPECT_EQ(outcome.error_index, 2u);
      EXPECT_EQ(outcome.error_address, 19u);
      EXPECT_TRUE(side->reset());
    }
    test::ran("COMMAND", "-", stalls > 0, "RING");
  }
}

TEST_P(Errors, SemaphoreOverflowBySync) {
  expect(
      {signal(isa::SyncLoad{}, 7, 200), isa::SyncLoad{}.encode(), signal(isa::SyncLoad{}, 7, 56), isa::End{}.encode()},
      {ErrorCode::kSemaphoreOverflow, isa::Engine::kLoad, 2, 7});
}

TEST_P(Errors, SemaphoreOverflowBySyncMxu) {
  expect({signal(isa::SyncMxu{}, 8, 255), signal(isa::SyncMxu{}, 8, 1), isa::End{}.encode()},
         {ErrorCode::kSemaphoreOverflow, isa::Engine::kMxu, 1, 8});
}

TEST_P(Errors, SemaphoreOverflowBySyncStore) {
  expect({signal(isa::SyncStore{}, 16, 128), signal(isa::SyncStore{}, 16, 128), isa::End{}.encode()},
         {ErrorCode::kSemaphoreOverflow, isa::Engine::kStore, 1, 16});
}

TEST_P(Errors, SemaphoreOverflowByACommand) {
  isa::Map map;
  map.dst = 100;
  expect({signal(map, 31, 255), isa::SyncStore{}.encode(), signal(map, 31, 1), isa::End{}.encode()},
         {ErrorCode::kSemaphoreOverflow, isa::Engine::kVpu, 2, 31});
}

TEST_P(Errors, SemaphoreLeftAtEnd) {
  expect({signal(isa::SyncStore{}, 30, 2), signal(isa::SyncMxu{}, 9, 1), signal(isa::SyncVpu{}, 21, 255),
          isa::End{}.encode()},
         {ErrorCode::kSemaphoreAtEnd, isa::Engine::kCommand, 3, 9});
}

TEST_P(Errors, SemaphoreOfTheUpperHalfLeftAtEnd) {
  expect({signal(isa::SyncLoad{}, 22, 1), isa::End{}.encode()},
         {ErrorCode::kSemaphoreAtEnd, isa::Engine::kCommand, 1, 22});
}

TEST_P(Errors, OneAfterAnother) {
  const bool tiny = GetParam() == "tiny";
  const auto scratch_rows = static_cast<std::uint16_t>(tiny ? 960 : 13056);
  const auto acc_rows = static_cast<std::uint16_t>(tiny ? 64 : 1024);
  isa::Load load;
  load.valid_to = 1;
  load.src = kDataBytes;
  isa::Load far_load;
  far_load.dst = scratch_rows;
  isa::Load far_params;
  far_params.space = static_cast<std::uint8_t>(isa::Space::kParam);
  far_params.dst = 256;
  isa::Load far_kernel;
  far_kernel.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  far_kernel.dst = static_cast<std::uint16_t>(kernel::memory_rows(tiny ? 4 : 16));
  isa::Conv tiles;
  tiles.blocks = 257;
  isa::Conv far_conv;
  far_conv.act_row = scratch_rows;
  isa::Conv far_sum;
  far_sum.acc_row = acc_rows;
  isa::Depthwise taps;
  taps.blocks = 4097;
  isa::Depthwise far_input;
  far_input.act_row = scratch_rows;
  isa::Depthwise far_lanes;
  far_lanes.acc_row = static_cast<std::uint16_t>(acc_rows - 1);
  far_lanes.out_width = 2;
  isa::Map map;
  map.clamp_max = 1;
  map.dst = scratch_rows;
  isa::Drain32 drain;
  drain.src = acc_rows;
  isa::Table table;
  table.params = 255;
  isa::Store store;
  store.src = scratch_rows;
  isa::Store outside;
  outside.dst = kDataBytes;
  isa::Instruction unknown;
  unknown.words[0] = 0xEE;
  const auto rows = [](int first) { return static_cast<std::uint32_t>(first); };
  std::vector<std::pair<std::vector<isa::Instruction>, Expected>> list = {
      {{unknown}, {ErrorCode::kIllegalInstruction, isa::Engine::kCommand, 0, 0xEE}},
      {{load.encode()}, {ErrorCode::kWindow, isa::Engine::kLoad, 0, kDataBytes}},
      {{far_load.encode()}, {ErrorCode::kScratchRange, isa::Engine::kLoad, 0, rows(scratch_rows)}},
      {{far_params.encode()}, {ErrorCode::kParamRange, isa::Engine::kLoad, 0, 256}},
      {{far_kernel.encode()}, {ErrorCode::kKernelRange, isa::Engine::kLoad, 0, far_kernel.dst}},
      {{tiles.encode()}, {ErrorCode::kWeightRange, isa::Engine::kMxu, 0, rows(257 * (tiny ? 4 : 16))}},
      {{far_conv.encode()}, {ErrorCode::kScratchRange, isa::Engine::kMxu, 0, rows(scratch_rows)}},
      {{far_sum.encode()}, {ErrorCode::kAccRange, isa::Engine::kMxu, 0, rows(acc_rows)}},
      {{taps.encode()}, {ErrorCode::kWeightRange, isa::Engine::kMxu, 0, 4097}},
      {{far_input.encode()}, {ErrorCode::kScratchRange, isa::Engine::kMxu, 0, rows(scratch_rows)}},
      {{far_lanes.encode()}, {ErrorCode::kAccRange, isa::Engine::kMxu, 0, rows(acc_rows)}},
      {{map.encode()}, {ErrorCode::kScratchRange, isa::Engine::kVpu, 0, rows(scratch_rows)}},
      {{drain.encode()}, {ErrorCode::kAccRange, isa::Engine::kVpu, 0, rows(acc_rows)}},
      {{table.encode()}, {ErrorCode::kParamRange, isa::Engine::kVpu, 0, 256}},
      {{store.encode()}, {ErrorCode::kScratchRange, isa::Engine::kStore, 0, rows(scratch_rows)}},
      {{outside.encode()}, {ErrorCode::kWindow, isa::Engine::kStore, 0, kDataBytes}},
      {{signal(isa::SyncLoad{}, 3, 255), signal(isa::SyncLoad{}, 3, 1)},
       {ErrorCode::kSemaphoreOverflow, isa::Engine::kLoad, 1, 3}},
      {{signal(isa::SyncLoad{}, 22, 1), isa::End{}.encode()},
       {ErrorCode::kSemaphoreAtEnd, isa::Engine::kCommand, 1, 22}},
  };
  const auto again = list;
  list.insert(list.end(), again.begin(), again.end());
  expect_each(list);
}

TEST_P(Errors, BothWaitsOnOneSemaphore) {
  isa::SyncVpu sync;
  sync.sem.wait0_sem = sync.sem.wait1_sem = 4;
  sync.sem.wait0_amount = sync.sem.wait1_amount = 1;
  expect({isa::SyncLoad{}.encode(), sync.encode(), isa::End{}.encode()},
         {ErrorCode::kIllegalInstruction, isa::Engine::kCommand, 1, 0x3F});
}

TEST_P(Errors, LoadBeyondTheKernelMemory) {
  isa::Load load;
  load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  load.dst = static_cast<std::uint16_t>(kernel::memory_rows(GetParam() == "tiny" ? 4 : 16));
  expect({load.encode(), isa::End{}.encode()}, {ErrorCode::kKernelRange, isa::Engine::kLoad, 0, load.dst});
}

TEST_P(Errors, KernelBeyondTheKernelMemory) {
  isa::Vector vector;
  vector.entry = static_cast<std::uint16_t>(kernel::kMemoryWords);
  expect({vector.encode(), isa::End{}.encode()}, {ErrorCode::kKernel, isa::Engine::kVpu, 0, vector.entry});
}

TEST_P(Errors, LoadWithoutReadPermission) {
  Setting setting = plain();
  setting.windows[0].permission = isa::kPermissionWrite;
  isa::Load load;
  load.src = 5;
  load.valid_to = 1;
  expect(setting, {{load.encode(), isa::End{}.encode()}, {}, 1}, {ErrorCode::kWindow, isa::Engine::kLoad, 0, 5});
}

TEST_P(Errors, StoreWithoutWritePermission) {
  Setting setting = plain();
  setting.windows[0].permission = isa::kPermissionRead;
  isa::Store store;
  store.dst = 64;
  expect(setting, {{store.encode(), isa::End{}.encode()}, {}, 1}, {ErrorCode::kWindow, isa::Engine::kStore, 0, 64});
}

TEST_P(Errors, MoreWeightTilesThanTheRingHolds) {
  isa::Conv conv;
  conv.blocks = 257;
  const int dim = GetParam() == "tiny" ? 4 : 16;
  expect({isa::SyncMxu{}.encode(), conv.encode(), isa::End{}.encode()},
         {ErrorCode::kWeightRange, isa::Engine::kMxu, 1, static_cast<std::uint32_t>(257 * dim)});
}

INSTANTIATE_TEST_SUITE_P(All, Errors, ::testing::ValuesIn(test::built_among({"tiny", "default"})),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace systole::programs
