// SPDX-License-Identifier: Apache-2.0
// Every error of the command processor, with its exact record.
#include "command_bench.hpp"
#include "command_models.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

using isa::Engine;
using isa::ErrorCode;

template <class T>
class CommandError : public ::testing::Test {
 public:
  CommandError() : bench(seed(), timing()) {
    bench.window(0, 0x10000, 0x1000, isa::kPermissionExecute);
    bench.window(1, 0x20000, 0x1000, isa::kPermissionExecute);
    bench.window(2, 0x30000, 0x1000, isa::kPermissionRead | isa::kPermissionWrite);
    bench.ring(0, 6, 0);
  }
  static Timing timing() {
    Timing t;
    t.latency_low = 3;
    t.latency_high = 30;
    t.stall_percent = 20;
    t.work_high = 20;
    return t;
  }
  /// Rings the bell, waits for the error and compares its record; then the core stays still.
  void expect(Engine engine, ErrorCode code, std::uint32_t index, std::uint32_t address, unsigned count = 1) {
    bench.ring_bell();
    bench.run_until([&] { return bench.error.has_value(); });
    if (!bench.error) return;
    EXPECT_EQ(bench.error->engine, static_cast<unsigned>(engine));
    EXPECT_EQ(bench.error->code, static_cast<unsigned>(code))
        << isa::to_string(static_cast<ErrorCode>(bench.error->code));
    EXPECT_EQ(bench.error->index, index);
    EXPECT_EQ(bench.error->address, address);
    for (int i = 0; i < 300; ++i) bench.tick();
    EXPECT_EQ(bench.errors, count);
    EXPECT_EQ(bench.ends, 0u);
    recovers();
  }
  /// The core works again after a reset.
  void recovers() {
    bench.faults.clear();
    bench.bad = {0, 0};
    bench.reset();
    bench.window(0, 0x10000, 0x1000, isa::kPermissionExecute);
    bench.ring(0, 6, 0);
    bench.put(plain(1, false, {}));
    bench.put(end_with(5));
    bench.ring_bell();
    bench.run_until([&] { return bench.ends == 1; });
    EXPECT_FALSE(bench.error);
  }
  void put_some(int count) {
    for (int i = 0; i < count; ++i) bench.put(plain(i % 4, false, {}));
  }
  T bench;
};
TYPED_TEST_SUITE(CommandError, Benches, BenchNames);

TYPED_TEST(CommandError, IllegalInstruction) {
  this->put_some(11);
  Instruction wrong = plain(2, false, {});
  wrong.words[0] |= 0x8000;  // reserved
  this->bench.put(wrong, false);
  this->bench.put(end_with(1), false);
  this->expect(Engine::kCommand, ErrorCode::kIllegalInstruction, 11, wrong.words[0]);
}

TYPED_TEST(CommandError, LaneMustBeBelowDim) {
  isa::Load load;
  load.lane = TypeParam::kDimension - 1;
  this->bench.put(load.encode());
  load.lane = TypeParam::kDimension;
  this->bench.put(load.encode(), false);
  this->expect(Engine::kCommand, ErrorCode::kIllegalInstruction, 1, 0x10);
}

/// The maximum work of one instruction, and twice as much: each factor counts as the next power of two.
TYPED_TEST(CommandError, WorkIsBounded) {
  isa::Load load;
  load.pieces = 1 << 13;
  load.slot_bytes = 5;  // 2^3
  load.count0 = 1 << 12;
  load.run_bytes = 1 << 16;
  isa::Store store;
  store.pieces = 1 << 14;
  store.piece_bytes = 1 << 13;
  store.count1 = 2;
  isa::Map map;
  map.out_height = 1 << 15;
  map.out_width = (1 << 12) + 1;
  isa::Avgpool pool;
  pool.out_height = pool.out_width = 1 << 6;
  pool.kernel_h = 255;
  pool.kernel_w = 129;
  for (const Instruction& most : {load.encode(), store.encode(), map.encode(), pool.encode()}) this->bench.put(most);
  this->bench.put(end_with(1));
  this->bench.ring_bell();
  this->bench.run_until([&] { return this->bench.ends == 1; });
  EXPECT_FALSE(this->bench.error);
  load.count1 = 2;
  store.count0 = 2;
  ++map.out_height;
  pool.out_width = 65;
  isa::Load read;
  read.run_bytes = (1 << 23) + 1;
  read.count0 = 1 << 5;
  for (const Instruction& more : {load.encode(), store.encode(), map.encode(), pool.encode(), read.encode()}) {
    this->bench.reset();
    this->bench.put(more, false);
    this->bench.ring_bell();
    this->bench.run_until([&] { return this->bench.error.has_value(); });
    EXPECT_EQ(this->bench.error->code, static_cast<unsigned>(ErrorCode::kIllegalInstruction));
    EXPECT_EQ(this->bench.error->address, more.words[0]);
  }
}

TYPED_TEST(CommandError, RingLeavesItsWindow) {
  // The window ends within a chunk and within the ring.
  this->bench.window(0, 0x10000 + 64 * 3, 64 * 13 + 63, isa::kPermissionExecute);
  this->put_some(13);
  this->bench.put(plain(0, false, {}), false);
  this->bench.put(plain(0, false, {}), false);
  this->expect(Engine::kCommand, ErrorCode::kWindow, 13, 64 * 13);
}

TYPED_TEST(CommandError, RingWithoutPermission) {
  this->bench.ring(64, 3, 2);
  this->bench.put(plain(0, false, {}), false);
  this->expect(Engine::kCommand, ErrorCode::kWindow, 0, 64);
}

TYPED_TEST(CommandError, JumpLeavesItsWindow) {
  this->put_some(2);
  this->bench.put(jump_to(0x1000 - 128, 3, 1));
  for (std::uint32_t i = 0; i < 2; ++i) {
    this->bench.dispatched.push_back(plain(3, false, {}));
    this->bench.write(1, 0x1000 - 128 + 64 * i, plain(3, false, {}));
  }
  this->bench.put(end_with(1), false);
  this->expect(Engine::kCommand, ErrorCode::kWindow, 5, 0x1000);
}

TYPED_TEST(CommandError, JumpWindowOffsetDoesNotWrap) {
  this->bench.put(jump_to(0xffffffc0, 2, 1));
  this->expect(Engine::kCommand, ErrorCode::kWindow, 1, 0xffffffc0);
}

TYPED_TEST(CommandError, ReadErrorOfOneBeat) {
  this->put_some(12);
  const std::uint32_t address = 0x10000 + 64 * 12 + 64 - TypeParam::kDimension;
  this->bench.bad = {address, address + 1};
  this->put_some(0);
  this->bench.put(plain(0, false, {}), false);
  this->bench.put(end_with(0), false);
  this->expect(Engine::kCommand, ErrorCode::kAxiRead, 12, address);
}

TYPED_TEST(CommandError, ReadErrorOfTheFirstBeat) {
  this->put_some(12);
  const std::uint32_t address = 0x10000 + 64 * 12;
  this->bench.bad = {address, address + 1};
  this->put_some(0);
  this->bench.put(plain(0, false, {}), false);
  this->bench.put(end_with(0), false);
  this->expect(Engine::kCommand, ErrorCode::kAxiRead, 12, address);
}

TYPED_TEST(CommandError, ReadErrorBehindAJumpIsNotTheProgramsError) {
  // Entries 1 to 3 are first read ahead of the JUMP in entry 0 and fail then; they are read again after it.
  this->bench.put(jump_to(0, 1, 1));
  this->bench.write(1, 0, plain(2, false, {}));
  this->bench.dispatched.push_back(plain(2, false, {}));
  this->bench.put(plain(1, false, {}));
  this->bench.put(end_with(9));
  this->bench.bad = {0x10000 + 64, 0x10000 + 192};
  this->bench.ring_bell();
  this->bench.run_until([&] { return this->bench.top->commands_o == 1; });
  this->bench.bad = {0, 0};
  this->bench.run_until([&] { return this->bench.ends == 1; });
  EXPECT_FALSE(this->bench.error);
}

TYPED_TEST(CommandError, TailBeyondTheRing) {
  this->bench.ring(0, 2, 0);
  this->put_some(2);
  this->bench.ring_bell();
  this->bench.run_until([&] { return this->bench.top->head_o == 2; });
  this->bench.tail = 2 + 5;
  this->expect(Engine::kCommand, ErrorCode::kRing, 2, 7);
}

TYPED_TEST(CommandError, TailBehindTheHead) {
  this->put_some(2);
  this->bench.ring_bell();
  this->bench.run_until([&] { return this->bench.top->head_o == 2; });
  this->bench.tail = 1;
  this->expect(Engine::kCommand, ErrorCode::kRing, 2, 1);
}

TYPED_TEST(CommandError, JumpInsideAJump) {
  this->put_some(3);
  this->bench.put(jump_to(128, 2, 1));
  this->bench.dispatched.push_back(plain(0, false, {}));
  this->bench.write(1, 128, plain(0, false, {}));
  this->bench.write(1, 192, jump_to(0x240, 1, 1));
  this->expect(Engine::kCommand, ErrorCode::kJump, 5, 0x240);
}

TYPED_TEST(CommandError, SemaphoreAtEnd) {
  this->bench.put(plain(1, false, {0, 0, 0, 0, 31, 1, 12, 4}));
  this->put_some(4);
  this->bench.put(end_with(1), false);
  this->expect(Engine::kCommand, ErrorCode::kSemaphoreAtEnd, 5, 12);
}

TYPED_TEST(CommandError, SemaphoreOverflow) {
  this->put_some(2);
  this->bench.put(plain(2, false, {0, 0, 0, 0, 4, 255, 0, 0}));
  this->bench.put(plain(2, false, {0, 0, 0, 0, 5, 255, 4, 1}));
  this->bench.put(end_with(1), false);
  this->expect(Engine::kVpu, ErrorCode::kSemaphoreOverflow, 3, 4);
}

TYPED_TEST(CommandError, SemaphoreOverflowBySync) {
  this->bench.put(plain(3, false, {0, 0, 0, 0, 30, 200, 0, 0}));
  this->bench.put(plain(3, true, {0, 0, 0, 0, 30, 56, 0, 0}));
  this->bench.put(end_with(1), false);
  this->expect(Engine::kStore, ErrorCode::kSemaphoreOverflow, 1, 30);
}

TYPED_TEST(CommandError, FaultOfAnEngine) {
  for (int e = 0; e < 4; ++e) {
    this->put_some(12);
    this->bench.put(end_with(1));
    this->bench.faults[static_cast<std::uint32_t>(8 + e)] = {static_cast<unsigned>(ErrorCode::kScratchRange),
                                                             0xabc0u + static_cast<unsigned>(e)};
    this->expect(static_cast<Engine>(e), ErrorCode::kScratchRange, static_cast<std::uint32_t>(8 + e),
                 0xabc0u + static_cast<unsigned>(e));
    this->bench.reset();
  }
}

TYPED_TEST(CommandError, FaultBehindACommandThatStillSignals) {
  // LOAD and VPU retire a command with two signals in the same cycle, and LOAD signals first. In the next cycle the VPU
  // has a fault.
  this->bench.timing = Timing{};
  this->bench.timing.work_low = this->bench.timing.work_high = 5;
  this->bench.blocked = {true, true, true, true};
  this->bench.put(plain(0, false, {0, 0, 0, 0, 1, 1, 2, 1}));
  this->bench.put(plain(2, false, {0, 0, 0, 0, 3, 1, 4, 1}));
  this->bench.put(plain(2, false, {}));
  this->bench.faults[2] = {static_cast<unsigned>(ErrorCode::kAccRange), 77};
  this->bench.ring_bell();
  this->bench.run_until([&] { return this->bench.top->commands_o == 3; });
  for (int i = 0; i < 3; ++i) this->bench.tick();
  this->bench.blocked = {};
  this->expect(Engine::kVpu, ErrorCode::kAccRange, 2, 77);
}

TYPED_TEST(CommandError, OfSeveralInOneCycleTheOrderDecidesAndAllCount) {
  this->bench.timing = Timing{};
  this->bench.timing.work_low = this->bench.timing.work_high = 1;
  this->bench.blocked = {true, true, true, true};
  this->put_some(4);
  for (std::uint32_t i = 0; i < 4; ++i) this->bench.faults[i] = {static_cast<unsigned>(ErrorCode::kAxiWrite), i};
  this->bench.ring_bell();
  this->bench.run_until([&] { return this->bench.top->commands_o == 4; });
  this->bench.tick();
  this->bench.blocked = {};
  this->bench.run_until([&] { return this->bench.error.has_value(); });
  EXPECT_EQ(this->bench.error->engine, static_cast<unsigned>(Engine::kLoad));
  EXPECT_EQ(this->bench.error->number, 4u);
  EXPECT_EQ(this->bench.errors, 4u);
}

TYPED_TEST(CommandError, HaltFromOutsideStopsIssue) {
  this->bench.blocked = {true, true, true, true};
  this->put_some(8);
  this->bench.ring_bell();
  for (int i = 0; i < 400; ++i) this->bench.tick();
  EXPECT_TRUE(this->bench.top->cmd_valid_o >> static_cast<int>(Engine::kLoad) & 1);
  this->bench.top->halt_i = 1;
  this->bench.blocked = {};
  for (int i = 0; i < 100; ++i) this->bench.tick();
  for (int e = 0; e < 4; ++e) EXPECT_TRUE(this->bench.accepted(e).empty());
}

}  // namespace
}  // namespace systole::test
