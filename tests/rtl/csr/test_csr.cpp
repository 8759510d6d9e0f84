// SPDX-License-Identifier: Apache-2.0
// Every register's access kind under random bus orders, interrupts, the error record, reset, and counters that add up.
#include <map>
#include <optional>
#include <vector>

#include "../window_check/windows_port.hpp"
#include "Vcsr_dim16.h"
#include "Vcsr_dim4.h"
#include "csr_bench.hpp"
#include "seed.hpp"
#include "systole/generated/parts.hpp"

namespace systole::test {
namespace {

template <class T>
class Csr : public ::testing::Test {
 public:
  Csr() : bench(seed()) {}
  Bench<T> bench;
  static constexpr bool kTiny = std::is_same_v<T, Vcsr_dim4>;
  static constexpr std::uint32_t kWindows = kTiny ? 4 : 8;
};
using Models = ::testing::Types<Vcsr_dim4, Vcsr_dim16>;
TYPED_TEST_SUITE(Csr, Models);

constexpr std::uint32_t kCauses = static_cast<std::uint32_t>(isa::Cause::kIdle) + 1;

TYPED_TEST(Csr, ShowsItsConfiguration) {
  auto& b = this->bench;
  EXPECT_EQ(b.read(reg::kIdentity), isa::kIdentity);
  EXPECT_EQ(b.read(reg::kIsaVersion), isa::kIsaVersion);
  EXPECT_EQ(b.read(reg::kDim), this->kTiny ? 4u : 16u);
  EXPECT_EQ(b.read(reg::kScratchRows), this->kTiny ? 768u : 12288u);
  EXPECT_EQ(b.read(reg::kWeightRows), this->kTiny ? 256u : 4096u);
  EXPECT_EQ(b.read(reg::kAccRows), this->kTiny ? 64u : 1024u);
  EXPECT_EQ(b.read(reg::kParamRows), 256u);
  EXPECT_EQ(b.read(reg::kQueueDepth), 8u);
  EXPECT_EQ(b.read(reg::kParts), kAllParts);
  EXPECT_EQ(b.read(reg::kWindows), this->kWindows);
  EXPECT_EQ(b.read(reg::kWatchdog), reg::kWatchdogReset);
}

/// Bits that a write changes, of the registers that keep what is written; nothing for all others.
std::optional<std::uint32_t> stored_bits(std::uint32_t offset, std::uint32_t windows) {
  switch (offset) {
    case reg::kIrqEnable: return 3;
    case reg::kRingBase: return ~63u;
    case reg::kRingConfig: return 0x71f;
    case reg::kTail:
    case reg::kWatchdog: return ~0u;
    default: break;
  }
  if (offset < reg::kWindowBase || offset >= reg::kWindowBase + 16 * isa::kWindows) return std::nullopt;
  if (offset % 16 == 12) return std::nullopt;
  if (offset >= reg::kWindowBase + 16 * windows) return 0;
  return offset % 16 == 8 ? 7u : ~63u;
}
bool readable(std::uint32_t offset) {
  return offset <= reg::kWindows || (offset >= reg::kSemaphore && offset < reg::kSemaphore + 32) ||
         (offset >= reg::kEngineState && offset < reg::kEngineSince + 16) ||
         (offset >= reg::kWindowBase && offset < reg::kWindowBase + 16 * isa::kWindows && offset % 16 != 12) ||
         (offset >= reg::kCauseCount && offset < reg::kCauseCount + 256) ||
         (offset >= reg::kSemaphoreWait && offset < reg::kSemaphoreWait + 512);
}

TYPED_TEST(Csr, RandomAccesses) {
  auto& b = this->bench;
  std::map<std::uint32_t, std::uint32_t> stored;
  for (std::uint32_t offset = 0; offset < 0x1000; offset += 4) {
    if (stored_bits(offset, this->kWindows)) stored[offset] = b.read(offset);
  }
  b.top->head_i = 0x11111111;
  b.top->commands_i = 0x22222222;
  b.top->waiting_semaphores_i = 0x81008200;
  b.top->engine_waiting_i = 10;
  b.top->engine_busy_i = 14;
  b.top->nonfinite_i = 1;
  for (int i = 0; i < 8; ++i) b.top->semaphore_i[i] = static_cast<std::uint32_t>(b.rng());
  for (int e = 0; e < 4; ++e) b.top->oldest_index_i[e] = static_cast<std::uint32_t>(b.rng());
  b.top->engine_level_i = b.rng();
  unsigned tails = 0;
  for (int i = 0; i < 6000 && !this->HasFailure(); ++i) {
    std::uint32_t offset = static_cast<std::uint32_t>(b.rng() % (b.rng() % 2 ? 0x1000 : 0x180));
    if (b.rng() % 8) offset &= ~3u;
    const std::uint32_t value = static_cast<std::uint32_t>(b.rng());
    const bool aligned = offset % 4 == 0;
    SCOPED_TRACE(fmt::format("offset {:#x} value {:#x}", offset, value));
    if (b.rng() % 2) {
      if (offset == reg::kControl) continue;  // has a test of its own
      const unsigned strobes = b.rng() % 8 ? 15u : static_cast<unsigned>(b.rng() % 16);
      const auto bits = stored_bits(offset, this->kWindows);
      const bool taken = aligned && strobes == 15 && (bits || offset == reg::kIrqStatus);
      EXPECT_EQ(b.write(offset, value, strobes), taken ? Answer::kOkay : Answer::kSlaveError);
      if (taken && bits) stored[offset] = value & *bits;
      tails += taken && offset == reg::kTail;
      b.program = false;  // ends at once: a running one has a test of its own
    } else {
      const bool known = aligned && readable(offset);
      const std::uint32_t got = b.read(offset, known ? Answer::kOkay : Answer::kSlaveError);
      std::optional<std::uint32_t> expected;
      if (!known || offset == reg::kIrqStatus || offset == reg::kControl || offset == reg::kErrorCount)
        expected = 0;
      else if (stored.count(offset))
        expected = stored[offset];
      else if (offset == reg::kHead)
        expected = 0x11111111;
      else if (offset == reg::kCommands)
        expected = 0x22222222;
      else if (offset == reg::kWaitingSemaphores)
        expected = 0x81008200;
      else if (offset == reg::kStatus)
        expected = 0xae08;
      else if (offset >= reg::kSemaphore && offset < reg::kSemaphore + 32)
        expected = b.top->semaphore_i[(offset - reg::kSemaphore) / 4];
      else if (offset >= reg::kEngineIndex && offset < reg::kEngineIndex + 16)
        expected = b.top->oldest_index_i[(offset - reg::kEngineIndex) / 4];
      if (known && offset >= reg::kEngineState && offset < reg::kEngineState + 16) {
        EXPECT_EQ(got & 0xFFFF, b.top->engine_level_i >> (16 * ((offset - reg::kEngineState) / 4)) & 0xFFFF);
      }
      EXPECT_EQ(got, expected.value_or(got));
    }
  }
  EXPECT_EQ(b.doorbells, tails);
  // The core's inputs equal the registers.
  EXPECT_EQ(static_cast<std::uint32_t>(b.top->ring_o << 6), stored[reg::kRingBase]);
  EXPECT_EQ((b.top->ring_o >> 26 & 31) | b.top->ring_o >> 31 << 8, stored[reg::kRingConfig]);
  EXPECT_EQ(b.top->watchdog_o, stored[reg::kWatchdog]);
  EXPECT_EQ(b.top->tail_o, stored[reg::kTail]);
  WindowValues base{}, size{}, permission{};
  for (unsigned w = 0; w < isa::kWindows; ++w) {
    base[w] = stored[reg::kWindowBase + 16 * w];
    size[w] = stored[reg::kWindowSize + 16 * w];
    permission[w] = stored[reg::kWindowPermission + 16 * w];
  }
  auto windows = b.top->windows_o;
  set_windows(windows, base, size, permission);
  for (std::size_t i = 0; i < sizeof windows / 4; ++i) EXPECT_EQ(b.top->windows_o[i], windows[i]);
}

TYPED_TEST(Csr, ReadsAndWritesOverlap) {
  auto& b = this->bench;
  auto& p = b.pins;
  p.s_axil_araddr_i = reg::kIdentity;
  p.s_axil_arvalid_i = 1;
  b.tick();
  p.s_axil_arvalid_i = 0;
  EXPECT_EQ(b.write(reg::kIrqEnable, 3), Answer::kOkay);  // while the read's answer is not taken
  EXPECT_TRUE(p.s_axil_rvalid_o);
  EXPECT_EQ(p.s_axil_rdata_o, isa::kIdentity);
  EXPECT_FALSE(p.s_axil_arready_o);
  EXPECT_EQ(b.read(reg::kIrqEnable), isa::kIdentity);  // takes the old answer
}

TYPED_TEST(Csr, NonfiniteIsClearedWithTheCounters) {
  auto& b = this->bench;
  const auto report = [&] { b.top->nonfinite_i = !b.top->nonfinite_i; };
  const auto nonfinite = [&] { return (b.read(reg::kStatus) & reg::kStatusNonfinite) != 0; };
  for (int round = 0; round < 4; ++round) {
    SCOPED_TRACE(round);
    EXPECT_FALSE(nonfinite());
    report();
    b.tick();
    if (round % 2 != 0) report();  // two blocks, and the source is as before
    EXPECT_TRUE(nonfinite());
    EXPECT_TRUE(nonfinite()) << "reading changes nothing";
    if (round == 0) b.write(reg::kControl, reg::kControlClearCounters);
    b.end_program(1);
    EXPECT_EQ(nonfinite(), round != 0) << "an END that does not clear leaves it";
    if (round == 1) b.end_program(2, true);
    if (round >= 2) {  // a reset, in which the source goes to zero
      b.top->core_rst_ni = 0;
      b.tick();
      b.top->nonfinite_i = 0;
      b.top->core_rst_ni = 1;
      b.tick();
    }
  }
  EXPECT_FALSE(nonfinite());
}

TYPED_TEST(Csr, InterruptIsALevelThatWritingOneClears) {
  auto& b = this->bench;
  b.end_program(0x1234);
  EXPECT_FALSE(b.top->irq_o);  // not enabled
  EXPECT_EQ(b.read(reg::kIrqStatus), reg::kIrqStatusDone);
  EXPECT_EQ(b.read(reg::kEndTag), 0x1234u);
  EXPECT_EQ(b.read(reg::kEndCount), 1u);
  b.write(reg::kIrqEnable, reg::kIrqEnableDone);
  EXPECT_TRUE(b.top->irq_o);
  b.write(reg::kIrqStatus, reg::kIrqStatusError);
  EXPECT_TRUE(b.top->irq_o);
  b.write(reg::kIrqStatus, reg::kIrqStatusDone);
  EXPECT_FALSE(b.top->irq_o);
  // An END in the cycle of the clearing write is not lost.
  b.hurry = true;
  b.before_edge = [&] { b.end(b.now == b.handshake + 1); };
  b.write(reg::kIrqStatus, reg::kIrqStatusDone);
  EXPECT_EQ(b.read(reg::kIrqStatus), reg::kIrqStatusDone);
  EXPECT_EQ(b.read(reg::kEndCount), 2u);
  EXPECT_TRUE(b.top->irq_o);
}

TYPED_TEST(Csr, FirstErrorIsKeptAndAllAreCounted) {
  auto& b = this->bench;
  b.write(reg::kIrqEnable, reg::kIrqEnableError);
  EXPECT_EQ(b.read(reg::kErrorCode), 0u);
  b.raise(isa::Engine::kStore, isa::ErrorCode::kAxiWrite, 77, 0x1000, 2);
  EXPECT_TRUE(b.top->irq_o);
  EXPECT_TRUE(b.top->halt_o);
  b.raise(isa::Engine::kLoad, isa::ErrorCode::kAxiRead, 70, 0x2000, 1);
  b.bus_fault(isa::ErrorCode::kBusProtocol, 0);
  b.tick();
  b.top->bus_fault_i = 0;
  EXPECT_EQ(b.read(reg::kErrorCode), 0x308u);
  EXPECT_EQ(b.read(reg::kErrorIndex), 77u);
  EXPECT_EQ(b.read(reg::kErrorAddress), 0x1000u);
  EXPECT_EQ(b.read(reg::kErrorCount), 4u);
  EXPECT_EQ(b.read(reg::kStatus) & reg::kStatusHalted, reg::kStatusHalted);
  EXPECT_EQ(b.read(reg::kIrqStatus), reg::kIrqStatusError);
}

TYPED_TEST(Csr, ResetClearsTheCoresLifeAndKeepsTheRest) {
  auto& b = this->bench;
  b.write(reg::kIrqEnable, 3);
  b.write(reg::kWatchdog, 99);
  b.write(reg::kRingBase, 0x1040);
  b.write(reg::kWindowSize + 16, 0x777);
  b.top->padded_vector_i = 1;
  b.write(reg::kTail, 5);
  b.end_program(9);
  b.top->padded_vector_i = 0;
  EXPECT_NE(b.read(reg::kCycles), 0u);
  b.raise(isa::Engine::kMxu, isa::ErrorCode::kAccRange, 3, 4, 1);
  bool requested = false;
  b.before_edge = [&] { requested |= b.top->reset_request_o; };
  b.write(reg::kControl, reg::kControlReset);
  EXPECT_TRUE(requested);
  EXPECT_EQ(b.read(reg::kStatus) & reg::kStatusResetting, reg::kStatusResetting) << "at once";
  b.top->core_rst_ni = 0;
  b.top->resetting_i = 1;
  b.tick();
  EXPECT_EQ(b.read(reg::kStatus) & (reg::kStatusResetting | reg::kStatusHalted), reg::kStatusResetting);
  // A doorbell is ignored now; a stuck bus is reported.
  const unsigned before = b.doorbells;
  EXPECT_EQ(b.write(reg::kTail, 7), Answer::kOkay);
  EXPECT_EQ(b.doorbells, before);
  b.bus_fault(isa::ErrorCode::kBusStuck, 1);
  b.tick();
  b.top->bus_fault_i = 0;
  EXPECT_TRUE(b.top->irq_o);
  EXPECT_EQ(b.read(reg::kErrorCode), 0x40bu);
  EXPECT_EQ(b.read(reg::kErrorAddress), 1u);
  b.top->core_rst_ni = 1;
  b.top->resetting_i = 0;
  b.tick();
  EXPECT_EQ(b.read(reg::kStatus) & reg::kStatusHalted, reg::kStatusHalted);
  b.write(reg::kControl, reg::kControlReset);
  b.top->core_rst_ni = 0;
  b.tick();
  b.top->core_rst_ni = 1;
  b.top->resetting_i = 1;
  b.tick();
  b.top->resetting_i = 0;
  for (auto offset : {reg::kStatus, reg::kIrqStatus, reg::kTail, reg::kEndTag, reg::kEndCount, reg::kErrorCode,
                      reg::kErrorIndex, reg::kErrorAddress, reg::kErrorCount, reg::kCycles, reg::kPaddedVectors}) {
    EXPECT_EQ(b.read(offset), 0u) << fmt::format("{:#x}", offset);
  }
  EXPECT_FALSE(b.top->irq_o);
  EXPECT_EQ(b.read(reg::kIrqEnable), 3u);
  EXPECT_EQ(b.read(reg::kWatchdog), 99u);
  EXPECT_EQ(b.read(reg::kRingBase), 0x1040u);
  EXPECT_EQ(b.read(reg::kWindowSize + 16), 0x740u);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(b.read(reg::kCauseCount + 4 * i), 0u);
  b.top->clearing_i = 1;
  EXPECT_EQ(b.read(reg::kStatus), reg::kStatusResetting) << "memories are still being cleared";
}

TYPED_TEST(Csr, RegistersThatAProgramReliesOnAreLockedWhileItRuns) {
  auto& b = this->bench;
  b.write(reg::kIrqEnable, reg::kIrqEnableError);
  std::vector<std::uint32_t> locked = {reg::kRingBase, reg::kRingConfig};
  for (std::uint32_t w = 0; w < 4; ++w) {
    for (auto first : {reg::kWindowBase, reg::kWindowSize, reg::kWindowPermission}) locked.push_back(first + 16 * w);
  }
  for (auto offset : locked) EXPECT_EQ(b.write(offset, 0x140), Answer::kOkay);
  const auto before = b.read(reg::kRingConfig);
  b.top->commands_i = 77;
  b.write(reg::kTail, 1);
  unsigned refused = 0;
  for (auto offset : locked) {
    SCOPED_TRACE(fmt::format("{:#x}", offset));
    EXPECT_EQ(b.write(offset, 0x3c2), Answer::kSlaveError);
    EXPECT_EQ(b.read(offset), offset == reg::kRingConfig ? before : offset % 16 == 8 ? 0u : 0x140u);
    EXPECT_EQ(b.read(reg::kErrorCount), ++refused);
  }
  EXPECT_TRUE(b.top->irq_o);
  EXPECT_EQ(b.read(reg::kErrorCode), static_cast<unsigned>(isa::ErrorCode::kBusyRegister) |
                                         static_cast<unsigned>(isa::Engine::kCommand) << reg::kErrorCodeEngineLsb);
  EXPECT_EQ(b.read(reg::kErrorIndex), 77u);
  EXPECT_EQ(b.read(reg::kErrorAddress), reg::kRingBase);
  EXPECT_EQ(b.read(reg::kStatus), reg::kStatusBusy | reg::kStatusHalted);
  // Registers that a program does not use are not locked; nor is any register after it has ended.
  for (auto offset : {reg::kWatchdog, reg::kIrqEnable}) EXPECT_EQ(b.write(offset, 1), Answer::kOkay);
  b.end_program(1);
  for (auto offset : locked) EXPECT_EQ(b.write(offset, 0x80), Answer::kOkay);
  EXPECT_EQ(b.read(reg::kErrorCount), refused);
}

TYPED_TEST(Csr, AnEndThatClearsTakesTheCountersWithIt) {
  auto& b = this->bench;
  b.top->read_beat_i = b.top->write_beat_i = b.top->padded_vector_i = 1;
  b.hurry = true;
  for (const bool clear : {false, true}) {
    for (int e = 0; e < 4; ++e) b.cause(e, isa::Cause::kWorking);
    b.write(reg::kTail, 1 + clear);
    for (int i = 0; i < 40; ++i) b.tick();
    b.end_program(5, clear);
    b.top->read_beat_i = b.top->write_beat_i = b.top->padded_vector_i = !clear;
    EXPECT_EQ(b.read(reg::kCycles) != 0, !clear) << "read as early as can be";
  }
  for (auto offset : {reg::kReadBeats, reg::kWriteBeats, reg::kPaddedVectors}) EXPECT_EQ(b.read(offset), 0u);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(b.read(reg::kCauseCount + 4 * i), 0u);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(b.read(reg::kSemaphoreWait + 4 * i), 0u);
  EXPECT_EQ(b.read(reg::kEndTag), 5u);
  EXPECT_EQ(b.read(reg::kEndCount), 2u);
  EXPECT_GT(b.rested, 0u) << "the clock of the registers rests while nothing is accessed";
}

TYPED_TEST(Csr, CountersAddUp) {
  auto& b = this->bench;
  b.write(reg::kIrqEnable, 3);
  std::uint64_t cycles = 0;
  std::uint32_t reads = 0, writes = 0, tail = 0;
  for (int run = 0; run < 20; ++run) {
    std::optional<std::uint64_t> risen;
    b.before_edge = [&] {
      for (int e = 0; e < 4; ++e) {
        if (b.rng() % 4 == 0) b.cause(e, static_cast<isa::Cause>(b.rng() % kCauses));
      }
      b.top->read_beat_i = b.rng() % 3 == 0;
      b.top->write_beat_i = b.rng() % 5 == 0;
      reads += b.top->read_beat_i;
      writes += b.top->write_beat_i;
      if (b.top->irq_o && !risen) risen = b.now;
    };
    b.write(reg::kTail, ++tail);
    const std::uint64_t start = b.handshake;
    for (std::uint64_t i = b.rng() % 300; i > 0; --i) b.tick();
    if (run == 19)
      b.raise(isa::Engine::kLoad, isa::ErrorCode::kWindow, 1, 2, 1);
    else
      b.end_program(1);
    b.tick();
    ASSERT_TRUE(risen);
    cycles += *risen - start;
    b.hurry = true;
    EXPECT_EQ(b.read(reg::kCycles), cycles) << "from the doorbell's handshake to the interrupt";
    b.hurry = false;
    b.write(reg::kIrqStatus, 3);
  }
  b.before_edge = nullptr;
  b.top->read_beat_i = b.top->write_beat_i = 0;
  for (std::uint32_t e = 0; e < 4; ++e) {
    std::uint64_t sum = 0;
    for (std::uint32_t c = 0; c < 16; ++c) {
      const auto count = b.read(reg::kCauseCount + 4 * (16 * e + c));
      EXPECT_EQ(count != 0, c < kCauses) << c;
      sum += count;
    }
    EXPECT_EQ(sum, cycles);
  }
  EXPECT_EQ(b.read(reg::kReadBeats), reads);
  EXPECT_EQ(b.read(reg::kWriteBeats), writes);
  b.write(reg::kControl, reg::kControlClearCounters);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(b.read(reg::kCauseCount + 4 * i), 0u);
  for (auto offset : {reg::kCycles, reg::kReadBeats, reg::kWriteBeats}) EXPECT_EQ(b.read(offset), 0u);
}

TYPED_TEST(Csr, EachCauseIsCountedForItsEngine) {
  auto& b = this->bench;
  b.hurry = true;
  for (int e = 0; e < 4; ++e) b.cause(e, static_cast<isa::Cause>(2 * e + 1));
  b.write(reg::kTail, 1);
  for (int i = 0; i < 50; ++i) b.tick();
  b.end_program(1);
  b.tick();
  const auto cycles = b.read(reg::kCycles);
  EXPECT_GT(cycles, 50u);
  for (std::uint32_t e = 0; e < 4; ++e) EXPECT_EQ(b.read(reg::kCauseCount + 4 * (16 * e + 2 * e + 1)), cycles);
}

TYPED_TEST(Csr, ShowsTheCauseOfEachEngineAndSinceWhen) {
  auto& b = this->bench;
  b.hurry = true;
  for (int e = 0; e < 4; ++e) b.cause(e, isa::Cause::kWorking);
  b.write(reg::kTail, 1);
  std::array<std::uint32_t, 4> since{};
  for (int e = 3; e >= 0; --e) {
    for (int i = 0; i < 10 + 7 * e; ++i) b.tick();
    // CYCLES counts a cycle two edges after it: with three more of them it has counted the first of the new cause.
    b.cause(e, static_cast<isa::Cause>(5 + e));
    for (int i = 0; i < 3; ++i) b.tick();
    const std::uint32_t begun = b.read(reg::kEngineSince + 4 * static_cast<std::uint32_t>(e));
    since[static_cast<std::size_t>(e)] = begun;
    EXPECT_GT(begun, 0u);
    if (e < 3) {
      EXPECT_GT(begun, since[static_cast<std::size_t>(e) + 1]);
    }
  }
  for (int i = 0; i < 100; ++i) b.tick();
  for (std::uint32_t e = 0; e < 4; ++e) {
    const std::uint32_t begun = b.read(reg::kEngineSince + 4 * e);
    EXPECT_EQ(begun, since[e]);  // nothing changed meanwhile
    EXPECT_EQ(b.read(reg::kEngineState + 4 * e) >> reg::kEngineStateCauseLsb, 5 + e);
    // All cycles before were of the other cause.
    EXPECT_EQ(b.read(reg::kCauseCount + 4 * (16 * e)), begun);
  }
}

TYPED_TEST(Csr, AssertionOnCausesFails) {
  auto& b = this->bench;
  b.top->expect_assertions();
  b.top->cause_i = 3;
  b.program = true;
  b.tick();
  b.tick();
  EXPECT_GT(b.context.errorCount(), 0);
}

}  // namespace
}  // namespace systole::test
