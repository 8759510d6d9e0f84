// SPDX-License-Identifier: Apache-2.0
// The functional model's registers: ring, JUMP, END, interrupt, reset and the errors of the command processor.
#include "model_backend.hpp"

#include <gtest/gtest.h>

#include "systole/generated/registers.hpp"
#include "systole/kernel.hpp"

namespace systole {
namespace {

constexpr std::uint32_t kRing = 0x1000, kProgram = 0x2000, kLog2 = 3;

class Registers : public testing::Test {
 protected:
  explicit Registers(const model::Options& checks = {}) : device(model::open_model(options(), checks)) {
    set_window(0, 0, 1 << 20, isa::kPermissionRead | isa::kPermissionWrite);
    set_window(1, 0, 0x3000, isa::kPermissionExecute);
    write(reg::kRingBase, kRing);
    write(reg::kRingConfig, kLog2 | 1u << reg::kRingConfigWindowLsb);
    write(reg::kIrqEnable, reg::kIrqEnableDone | reg::kIrqEnableError);
  }

  static BackendOptions options() {
    BackendOptions o;
    o.configuration = "tiny";
    o.memory_bytes = 1 << 20;
    return o;
  }

  void write(std::uint32_t offset, std::uint32_t value) { device->write_register(offset, value); }
  std::uint32_t read(std::uint32_t offset) { return device->read_register(offset); }
  bool interrupted() { return device->wait_interrupt(1000) == Backend::Wake::kInterrupt; }

  void set_window(std::uint32_t i, std::uint32_t base, std::uint32_t size, std::uint32_t permission) {
    write(reg::kWindowBase + 16 * i, base);
    write(reg::kWindowSize + 16 * i, size);
    write(reg::kWindowPermission + 16 * i, permission);
  }

  void put(std::uint32_t address, const isa::Instruction& i) {
    device->wait_copy(device->copy_to_device(address, i.words.data(), 64));
  }

  template <typename Op>
  void push(const Op& op) {
    put(kRing + tail % 8 * 64, op.encode());
    ++tail;
  }
  void ring() { write(reg::kTail, tail); }

  isa::End end(std::uint32_t tag) {
    isa::End e;
    e.tag = tag;
    return e;
  }

  void expect_error(isa::ErrorCode code, std::uint32_t index, std::uint32_t address) {
    EXPECT_TRUE(interrupted());
    EXPECT_EQ(read(reg::kErrorCode),
              static_cast<std::uint32_t>(code) | static_cast<std::uint32_t>(isa::Engine::kCommand) << 8);
    EXPECT_EQ(read(reg::kErrorIndex), index);
    EXPECT_EQ(read(reg::kErrorAddress), address);
    EXPECT_EQ(read(reg::kErrorCount), 1u);
    EXPECT_TRUE(read(reg::kStatus) & reg::kStatusHalted);
    EXPECT_TRUE(read(reg::kIrqStatus) & reg::kIrqStatusError);
    EXPECT_NE(device->explain().find(isa::to_string(code)), std::string::npos) << device->explain();
  }

  std::unique_ptr<model::ModelBackend> device;
  std::uint32_t tail = 0;
};

TEST_F(Registers, Identity) {
  EXPECT_EQ(read(reg::kIdentity), isa::kIdentity);
  EXPECT_EQ(read(reg::kIsaVersion), isa::kIsaVersion);
  EXPECT_EQ(read(reg::kDim), 4u);
  EXPECT_EQ(read(reg::kScratchRows), 768u);
  EXPECT_EQ(read(reg::kWeightRows), 256u);
  EXPECT_EQ(read(reg::kAccRows), 64u);
  EXPECT_EQ(read(reg::kParamRows), 256u);
  EXPECT_EQ(read(reg::kQueueDepth), 8u);
  EXPECT_EQ(read(reg::kWatchdog), reg::kWatchdogReset);
  EXPECT_EQ(read(reg::kCycles), 0u);
  EXPECT_EQ(read(reg::kCauseCount + 4 * 63), 0u);
  EXPECT_EQ(read(reg::kSemaphoreWait + 4 * 127), 0u);
  EXPECT_EQ(read(reg::kPaddedVectors), 0u);
  EXPECT_EQ(device->name(), "model");
}

TEST_F(Registers, BusErrorsNameTheOffset) {
  for (const std::uint32_t offset : {0x07cu, 0x10cu, 0x300u, 0xffcu, 0x101u})
    EXPECT_THROW(read(offset), std::runtime_error) << offset;
  for (const std::uint32_t offset : {reg::kIdentity, reg::kHead, reg::kSemaphore, reg::kCauseCount})
    EXPECT_THROW(write(offset, 0), std::runtime_error) << offset;
  try {
    read(0x07c);
  } catch (const std::runtime_error& e) {
    EXPECT_NE(std::string(e.what()).find("0x07c"), std::string::npos);
  }
}

TEST_F(Registers, ReadBack) {
  write(reg::kWatchdog, 17);
  EXPECT_EQ(read(reg::kWatchdog), 17u);
  EXPECT_EQ(read(reg::kWindowSize + 16), 0x3000u);
  EXPECT_EQ(read(reg::kWindowPermission + 16), isa::kPermissionExecute);
  EXPECT_EQ(read(reg::kRingConfig), kLog2 | 1u << 8);
  EXPECT_EQ(read(reg::kIrqEnable), 3u);
}

TEST_F(Registers, RunsToEndAndInterrupts) {
  push(isa::SyncLoad{});
  ring();
  EXPECT_FALSE(interrupted());
  EXPECT_TRUE(read(reg::kStatus) & reg::kStatusBusy);
  push(end(0xabcd));
  ring();
  EXPECT_TRUE(interrupted());
  EXPECT_FALSE(read(reg::kStatus) & reg::kStatusBusy);
  EXPECT_EQ(read(reg::kEndTag), 0xabcdu);
  EXPECT_EQ(read(reg::kEndCount), 1u);
  EXPECT_EQ(read(reg::kHead), 2u);
  EXPECT_EQ(read(reg::kCommands), 2u);
  write(reg::kIrqStatus, reg::kIrqStatusDone);
  EXPECT_FALSE(interrupted());
  for (int round = 0; round < 20; ++round) {  // the ring wraps
    push(isa::SyncVpu{});
    push(end(static_cast<std::uint32_t>(round)));
    ring();
    EXPECT_EQ(read(reg::kEndTag), static_cast<std::uint32_t>(round));
  }
  EXPECT_EQ(read(reg::kHead), 42u);
}

TEST_F(Registers, InterruptNeedsItsEnable) {
  write(reg::kIrqEnable, 0);
  push(end(1));
  ring();
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(read(reg::kIrqStatus), reg::kIrqStatusDone);
  write(reg::kIrqEnable, reg::kIrqEnableDone);
  EXPECT_TRUE(interrupted());
}

TEST_F(Registers, JumpRunsAProgramAndReturns) {
  isa::SyncMxu signal;
  signal.sem.signal0_sem = 6;
  signal.sem.signal0_amount = 5;
  for (std::uint32_t i = 0; i < 3; ++i) put(kProgram + 64 * i, signal.encode());
  isa::Jump jump;
  jump.target = kProgram;
  jump.count = 3;
  jump.window = 1;
  push(jump);
  ring();
  EXPECT_EQ(read(reg::kSemaphore + 4), 15u << 16);
  EXPECT_EQ(read(reg::kCommands), 4u);
  EXPECT_EQ(read(reg::kHead), 1u);
  isa::SyncVpu wait;
  wait.sem.wait0_sem = 6;
  wait.sem.wait0_amount = 15;
  push(wait);
  push(end(3));
  ring();
  EXPECT_EQ(read(reg::kEndTag), 3u);
}

TEST_F(Registers, JumpInsideAJump) {
  isa::Jump jump;
  jump.target = kProgram;
  jump.count = 2;
  jump.window = 1;
  put(kProgram, isa::SyncMxu{}.encode());
  put(kProgram + 64, jump.encode());
  push(jump);
  ring();
  expect_error(isa::ErrorCode::kJump, 2, kProgram);
}

TEST_F(Registers, FetchLeavesItsWindow) {
  isa::Jump jump;
  jump.target = 0x3000 - 64;
  jump.count = 2;
  jump.window = 1;
  put(jump.target, isa::SyncMxu{}.encode());
  push(jump);
  ring();
  expect_error(isa::ErrorCode::kWindow, 2, 0x3000);
}

TEST_F(Registers, FetchNeedsExecutePermissionAndMemory) {
  set_window(1, 0, 0x3000, isa::kPermissionRead);
  push(end(1));
  ring();
  expect_error(isa::ErrorCode::kWindow, 0, kRing);
  write(reg::kControl, reg::kControlReset);
  set_window(1, 0x200000 - kRing, 0x3000, isa::kPermissionExecute);
  write(reg::kTail, 1);
  expect_error(isa::ErrorCode::kAxiRead, 0, 0x200000);
}

TEST_F(Registers, TailTooFar) {
  write(reg::kTail, 9);
  expect_error(isa::ErrorCode::kRing, 0, 9);
}

TEST_F(Registers, IllegalInstruction) {
  put(kRing, isa::Instruction{{0x1234}});
  write(reg::kTail, 1);
  expect_error(isa::ErrorCode::kIllegalInstruction, 0, 0x1234);
}

TEST_F(Registers, SemaphoreAtEnd) {
  isa::SyncMxu signal;
  signal.sem.signal0_sem = 30;
  signal.sem.signal0_amount = 1;
  push(signal);
  push(end(1));
  ring();
  expect_error(isa::ErrorCode::kSemaphoreAtEnd, 1, 30);
  EXPECT_EQ(read(reg::kEndCount), 0u);
}

TEST_F(Registers, ResetMakesItWorkAgain) {
  write(reg::kTail, 9);
  EXPECT_TRUE(interrupted());
  write(reg::kTail, 1);  // halted: ignored
  write(reg::kControl, reg::kControlReset);
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(read(reg::kErrorCode), 0u);
  EXPECT_EQ(read(reg::kTail), 0u);
  EXPECT_EQ(read(reg::kStatus), 0u);
  push(end(5));
  ring();
  EXPECT_EQ(read(reg::kEndTag), 5u);
  EXPECT_TRUE(interrupted());
}

TEST_F(Registers, ABlockedProgramNamesItsWait) {
  isa::SyncVpu wait;
  wait.sem.wait0_sem = 11;
  wait.sem.wait0_amount = 1;
  push(wait);
  push(end(1));
  ring();
  EXPECT_FALSE(interrupted());
  EXPECT_EQ(read(reg::kWaitingSemaphores), (0x80u | 11u) << 16);
  EXPECT_EQ(read(reg::kStatus),
            reg::kStatusBusy | 4u << reg::kStatusEngineBusyLsb | 4u << reg::kStatusEngineWaitingLsb);
  EXPECT_EQ(read(reg::kEngineState + 2 * reg::kEngineStateStride), 1u << reg::kEngineStateQueuedLsb);
  EXPECT_EQ(read(reg::kEngineIndex + 2 * reg::kEngineIndexStride), 0u);
  EXPECT_EQ(read(reg::kEngineState), 0u);
  EXPECT_EQ(read(reg::kEngineSince + 2 * reg::kEngineSinceStride), 0u);
  EXPECT_NE(device->explain().find("waits for semaphore 11"), std::string::npos);
}

TEST_F(Registers, CopiesStayInsideTheMemory) {
  std::array<char, 64> host{};
  EXPECT_THROW(device->copy_to_device((1 << 20) - 63, host.data(), 64), std::out_of_range);
  EXPECT_THROW(device->copy_from_device(host.data(), ~std::uint64_t{0}, 64), std::out_of_range);
  device->wait_copy(device->copy_to_device((1 << 20) - 64, host.data(), 64));
}

class Checked : public Registers {
 protected:
  Checked() : Registers(model::Options{true, true, true}) {}
};

isa::Map map_row(int src, int dst) {
  isa::Map op;
  op.src = static_cast<std::uint16_t>(src);
  op.dst = static_cast<std::uint16_t>(dst);
  return op;
}

TEST_F(Checked, RefusesARaceAndGoesOn) {
  isa::Store store;
  store.dst = 0x8000;
  store.src = 5;
  push(map_row(4, 5));
  push(store);
  push(end(1));
  try {
    ring();
    FAIL() << "the race was not noticed";
  } catch (const model::CheckFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("race on scratchpad row 5: command 0 (VPU)"), std::string::npos)
        << failure.what();
  }
  EXPECT_EQ(read(reg::kEndTag), 1u);
  auto map = map_row(4, 5);
  map.sem.signal0_amount = 1;
  store.sem.wait0_amount = 1;
  push(map);
  push(store);
  push(end(2));
  ring();
  EXPECT_EQ(read(reg::kEndTag), 2u);
}

TEST_F(Checked, RefusesAnIllegalProgram) {
  isa::SyncLoad load;  // two engines wait for one semaphore, in no order
  load.sem.signal0_amount = 2;
  isa::SyncMxu mxu;
  mxu.sem.wait0_amount = 1;
  isa::SyncVpu vpu;
  vpu.sem.wait0_amount = 1;
  push(load);
  push(mxu);
  push(vpu);
  push(end(1));
  EXPECT_THROW(ring(), model::CheckFailure);
}

TEST_F(Checked, ChecksAProgramAcrossDoorbellsAndForgetsItAtReset) {
  push(map_row(4, 5));
  ring();
  write(reg::kControl, reg::kControlReset);
  tail = 0;
  isa::Store store;
  store.src = 5;
  push(store);
  push(end(1));
  ring();
  EXPECT_EQ(read(reg::kEndTag), 1u);
  push(map_row(4, 5));
  ring();
  push(store);
  ring();
  push(end(2));
  EXPECT_THROW(ring(), model::CheckFailure);
}

TEST_F(Checked, KnowsTheKernelMemory) {
  const auto words = kernel::assemble("kernel k(row)\nmove i8[row], 7\nend\n").words;
  device->copy_to_device(0x8000, words.data(), words.size() * sizeof words[0]);
  isa::Load load;
  load.src = 0x8000;
  load.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  load.run_bytes = load.piece_step = load.piece_bytes = load.slot_bytes = 16;
  load.dst_block = 1;
  load.valid_to = 1;
  load.sem.signal0_amount = 1;
  isa::Vector vector;
  vector.arg0 = 40;
  isa::Vector first = vector;
  first.sem.wait0_amount = 1;
  push(load);
  push(first);
  push(end(1));
  ring();
  EXPECT_EQ(read(reg::kEndTag), 1u);
  push(vector);  // the kernel of the program before
  push(end(2));
  ring();
  EXPECT_EQ(read(reg::kEndTag), 2u);
  isa::Store store;
  store.src = 47;
  store.dst = 0x9000;
  push(vector);
  push(store);
  push(end(3));
  try {
    ring();
    FAIL() << "the race was not noticed";
  } catch (const model::CheckFailure& failure) {
    EXPECT_NE(std::string(failure.what()).find("race on scratchpad row 47: command 0 (VPU)"), std::string::npos)
        << failure.what();
  }
}

TEST(Open, NamesTheWrongOption) {
  BackendOptions o;
  o.configuration = "huge";
  EXPECT_THROW(model::open_model(o), std::invalid_argument);
  o.configuration = "small";
  o.memory_bytes = 1000;
  EXPECT_THROW(model::open_model(o), std::invalid_argument);
  o.memory_bytes = std::uint64_t{1} << 32;
  EXPECT_EQ(model::open_model(o)->configuration().dim, 8);
}

}  // namespace
}  // namespace systole
