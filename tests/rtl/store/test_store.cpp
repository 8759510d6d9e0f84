// SPDX-License-Identifier: Apache-2.0
// The STORE engine alone: its definition over directed and random commands, its faults, and its speed in cycles.
#include <fmt/core.h>

#include "Vstore_dim16.h"
#include "Vstore_dim32.h"
#include "Vstore_dim4.h"
#include "Vstore_dim8.h"
#include "seed.hpp"
#include "store_bench.hpp"

namespace systole::test {
namespace {

using isa::Cause;
using isa::ErrorCode;
using isa::Store;

template <typename Bench>
class StoreTest : public ::testing::Test {
 protected:
  Bench bench{seed()};
};
using Benches = ::testing::Types<StoreBench<Vstore_dim4, 4>, StoreBench<Vstore_dim8, 8>, StoreBench<Vstore_dim16, 16>,
                                 StoreBench<Vstore_dim32, 32>>;
TYPED_TEST_SUITE(StoreTest, Benches);

unsigned cause(const Outcome& out, Cause which) { return out.causes[static_cast<unsigned>(which)]; }

/// Consecutive rows to consecutive bytes.
Store contiguous(std::uint32_t dst, unsigned bytes, unsigned src = 0) {
  Store c;
  c.dst = dst;
  c.piece_bytes = static_cast<std::uint16_t>(bytes);
  c.src = static_cast<std::uint16_t>(src);
  c.src_block = 1;
  return c;
}

template <typename Bench>
Store random_command(Bench& bench, bool want_fault) {
  constexpr int dim = Bench::kDim;
  Random& r = bench.random;
  while (true) {
    Store c;
    c.window = static_cast<std::uint8_t>(r.percent(want_fault ? 10 : 0) ? 3 : r.between(0, 2));
    c.dst = static_cast<std::uint32_t>(r.percent(50) ? r.between(0, 0x7000) : 0x1000 - r.between(0, 4 * dim));
    c.pieces = static_cast<std::uint16_t>(r.percent(40) ? 1 : r.between(1, 12));
    c.piece_bytes = static_cast<std::uint16_t>(r.percent(20) ? r.between(1, 70 * dim) : r.between(1, 3 * dim));
    c.count0 = static_cast<std::uint16_t>(r.between(1, 6));
    c.count1 = static_cast<std::uint16_t>(r.percent(60) ? 1 : r.between(1, 4));
    c.dst_stride0 = static_cast<std::int32_t>(r.between_signed(-2 * dim, 300));
    c.dst_stride1 = static_cast<std::int32_t>(r.between_signed(-100, 1000));
    c.src = static_cast<std::uint16_t>(r.between(0, 500));
    c.src_piece = static_cast<std::uint16_t>(r.between(0, 20));
    c.src_block = static_cast<std::uint16_t>(r.between(0, 5));
    c.src_stride0 = static_cast<std::uint16_t>(r.percent(10) ? -3 : r.between(0, 16));
    c.src_stride1 = static_cast<std::uint16_t>(r.between(0, 32));
    const Fault fault = run_store(c, bench.windows, dim, Bench::kScratch, [](std::uint32_t, unsigned, unsigned) {});
    if (static_cast<bool>(fault) == want_fault) return c;
  }
}

template <typename Bench>
Timing random_timing(Bench& bench) {
  static constexpr unsigned kStalls[] = {0, 0, 10, 50, 90};
  Random& r = bench.random;
  const auto stall = [&] { return kStalls[r.between(0, 4)]; };
  const unsigned read_stall = r.percent(10) ? 99 : stall();
  return {static_cast<unsigned>(r.between(1, 120)), stall(), stall(), read_stall, stall()};
}

TYPED_TEST(StoreTest, EveryOffsetOfAPage) {
  constexpr unsigned dim = TypeParam::kDim;
  std::vector<Store> commands;
  for (unsigned offset = 0; offset < 4096; ++offset) {
    commands.push_back(contiguous(offset % 64 * 8192 + offset, 1 + (offset * 7) % (5 * dim), offset % 64));
  }
  EXPECT_EQ(this->bench.run(commands, {}).retired.size(), commands.size());
  EXPECT_EQ(this->bench.actual, this->bench.expected(commands));
}

TYPED_TEST(StoreTest, RandomCommands) {
  for (int round = 0; round < 60; ++round) {
    std::vector<Store> commands;
    for (int i = 0; i < 30; ++i) commands.push_back(random_command(this->bench, false));
    const Outcome out = this->bench.run(commands, random_timing(this->bench));
    EXPECT_EQ(out.retired.size(), commands.size());
    EXPECT_TRUE(this->bench.actual == this->bench.expected(commands)) << "memory differs";
    this->bench.actual.clear();
    if (this->HasFailure()) FAIL() << "round " << round;
  }
}

TYPED_TEST(StoreTest, RandomFaults) {
  for (int round = 0; round < 150; ++round) {
    std::vector<Store> commands;
    const auto before = this->bench.random.between(0, 5);
    for (unsigned i = 0; i < before; ++i) commands.push_back(random_command(this->bench, false));
    const auto good = commands;
    const Store bad = random_command(this->bench, true);
    const Fault fault = run_store(bad, this->bench.windows, TypeParam::kDim, TypeParam::kScratch,
                                  [](std::uint32_t, unsigned, unsigned) {});
    commands.push_back(bad);
    for (int i = 0; i < 3; ++i) commands.push_back(random_command(this->bench, i == 2));
    const Outcome out = this->bench.run(commands, random_timing(this->bench));
    EXPECT_EQ(out.retired.size(), before);
    EXPECT_EQ(out.fault.code, fault.code) << to_string(out.fault.code) << ", not " << to_string(fault.code);
    EXPECT_EQ(out.fault.address, fault.address);
    for (const auto& [address, value] : this->bench.expected(good)) {
      EXPECT_TRUE(this->bench.actual.count(address)) << "a command that retired left a byte out, value " << value;
    }
    if (fault.code == ErrorCode::kWindow) {  // all runs before the one that is outside, and nothing else
      auto written = good;
      written.push_back(bad);
      EXPECT_TRUE(this->bench.actual == this->bench.expected(written)) << "memory differs";
    }
    if (this->HasFailure()) FAIL() << "round " << round;
    this->bench.reset();
  }
}

// Runs 0 to 2 are inside the window and are written in any case, also when no row of theirs has been read by the time
// that run 3 is checked.
TYPED_TEST(StoreTest, RunsBeforeAWindowFaultAreWritten) {
  constexpr unsigned dim = TypeParam::kDim;
  Store c = contiguous(this->bench.windows.size[0] - 3 * 4 * dim, 3 * dim, 7);
  c.count0 = 6;
  c.dst_stride0 = 4 * dim;
  c.src_stride0 = 5;
  for (int round = 0; round < 20; ++round) {
    Timing timing = random_timing(this->bench);
    if (round % 2 == 0) timing.read_stall = 95;
    const Outcome out = this->bench.run({contiguous(0, dim), c, contiguous(0, dim)}, timing);
    EXPECT_EQ(out.retired.size(), 1u);
    EXPECT_EQ(out.fault, (Fault{ErrorCode::kWindow, this->bench.windows.size[0]}));
    EXPECT_EQ(this->bench.actual, this->bench.expected({contiguous(0, dim), c}));
    if (this->HasFailure()) FAIL() << "round " << round;
    this->bench.reset();
  }
}

TYPED_TEST(StoreTest, RowOutOfRangeIsNotWritten) {
  constexpr unsigned dim = TypeParam::kDim;
  // The rows that exist are stored; the rest of the burst goes out with strobes off.
  const Store c = contiguous(0, 32 * dim, TypeParam::kScratch - 20);
  const Outcome out = this->bench.run({c}, {});
  EXPECT_EQ(out.fault.code, ErrorCode::kScratchRange);
  EXPECT_EQ(out.fault.address, TypeParam::kScratch);
  EXPECT_EQ(out.data.size(), 32u);
  EXPECT_EQ(this->bench.actual, this->bench.expected({contiguous(0, 20 * dim, TypeParam::kScratch - 20)}));
}

TYPED_TEST(StoreTest, FaultWaitsForOlderCommands) {
  constexpr unsigned dim = TypeParam::kDim;
  // Rows are read ahead of addresses that the bus is slow to take: the bad row is reached while older bursts wait.
  const std::vector<Store> good{contiguous(0, dim), contiguous(100, dim, 1), contiguous(200, dim, 2)};
  std::vector<Store> commands = good;
  commands.push_back(contiguous(300, dim, 65535));
  Timing timing;
  timing.address_stall = 97;
  const Outcome out = this->bench.run(commands, timing);
  EXPECT_EQ(out.retired.size(), good.size());
  EXPECT_EQ(out.fault.code, ErrorCode::kScratchRange);
  EXPECT_EQ(this->bench.actual, this->bench.expected(good));
}

TYPED_TEST(StoreTest, BusErrorNamesTheBurst) {
  constexpr unsigned dim = TypeParam::kDim;
  Store second = contiguous(5, 40 * dim);
  second.count0 = 3;
  second.dst_stride0 = 8192;
  const std::uint32_t burst = this->bench.windows.base[0] + 8192 + 32 * dim;  // the first begins behind a multiple
  this->bench.broken = {burst, burst + 8192};
  const Outcome out = this->bench.run({contiguous(0, dim), second, contiguous(0, dim)}, {});
  EXPECT_EQ(out.retired.size(), 1u);
  EXPECT_EQ(out.fault.code, ErrorCode::kAxiWrite);
  EXPECT_EQ(out.fault.address, burst);
}

TYPED_TEST(StoreTest, TheFirstWrongRunDecides) {
  constexpr unsigned dim = TypeParam::kDim;
  // Runs 0 to 255 lie in the window, 256 does not; the second row of run `bad` is beyond the memory.
  const std::uint32_t base = this->bench.windows.base[0];
  for (int round = 0; round < 4; ++round) {
    for (const unsigned bad : {0u, 254u, 255u, 256u, 257u}) {
      Store c = contiguous(0, 2 * dim, TypeParam::kScratch - 1 - bad);
      c.count0 = 400;
      c.dst_stride0 = 4096;
      c.src_stride0 = 1;
      const Outcome out = this->bench.run({c}, random_timing(this->bench));
      EXPECT_EQ(out.fault.code, bad < 256 ? ErrorCode::kScratchRange : ErrorCode::kWindow) << bad;
      EXPECT_EQ(out.fault.address, bad < 256 ? TypeParam::kScratch : this->bench.windows.size[0]) << bad;
      this->bench.reset();
    }
    for (const unsigned bad : {255u, 257u}) {  // a bus error before the violation, and a burst that is never issued
      for (const unsigned row : {0u, TypeParam::kScratch - 257}) {  // run 256 has a bad row, too
        Store c = contiguous(0, 2 * dim, row);
        c.count0 = 400;
        c.dst_stride0 = 4096;
        c.src_stride0 = 1;
        this->bench.broken = {base + bad * 4096};
        const Outcome out = this->bench.run({c}, random_timing(this->bench));
        EXPECT_EQ(out.fault.code, bad < 256 ? ErrorCode::kAxiWrite : ErrorCode::kWindow) << bad;
        this->bench.reset();
      }
    }
  }
}

// The burst of a row out of range is completed with strobes off; an error response to it is not reported.
TYPED_TEST(StoreTest, ABurstWithoutItsRowsIsNoBusError) {
  constexpr unsigned dim = TypeParam::kDim;
  this->bench.broken = {this->bench.windows.base[0]};
  const Outcome out = this->bench.run({contiguous(0, 32 * dim, TypeParam::kScratch - 20)}, {});
  EXPECT_EQ(out.data.size(), 32u);
  EXPECT_EQ(out.fault.code, ErrorCode::kScratchRange);
}

// 2^32 runs, of which the first is wrong: the error comes at once, not after walking through all of them.
TYPED_TEST(StoreTest, AnErrorEndsTheWalk) {
  constexpr unsigned dim = TypeParam::kDim;
  const auto endless = [&](std::uint32_t dst, unsigned src) {
    Store c = contiguous(dst, dim, src);
    c.count0 = c.count1 = 65535;
    return c;
  };
  const auto ends = [&](const Store& c, Fault fault) {
    for (int round = 0; round < 5; ++round) {
      const Outcome out = this->bench.run({contiguous(0, dim), c}, round ? random_timing(this->bench) : Timing{});
      EXPECT_EQ(out.retired.size(), 1u);
      EXPECT_EQ(out.fault.code, fault.code) << to_string(out.fault.code);
      EXPECT_EQ(out.fault.address, fault.address);
      EXPECT_LT(out.cycles, round ? 20000u : 400u);
      this->bench.reset();
    }
  };
  ends(endless(0, 65535), {ErrorCode::kScratchRange, 65535});
  ends(endless(this->bench.windows.size[0], 0), {ErrorCode::kWindow, this->bench.windows.size[0]});
  Store longest = contiguous(0, 65535, TypeParam::kScratch - 20);  // one run: no burst behind the wrong row either
  longest.pieces = 15;
  ends(longest, {ErrorCode::kScratchRange, TypeParam::kScratch});
  this->bench.broken = {this->bench.windows.base[0] + 4096};
  ends(endless(4096, 0), {ErrorCode::kAxiWrite, *this->bench.broken.begin()});
}

// While other engines use the scratchpad, no burst is opened; an open burst gets its rows.
TYPED_TEST(StoreTest, BurstsDoNotWaitForTheScratchpad) {
  constexpr unsigned dim = TypeParam::kDim;
  Store bytes = contiguous(3, 1);  // every byte from a row of its own
  bytes.pieces = 3 * dim;
  bytes.src_piece = 1;
  Store single = contiguous(4096, dim);
  single.count0 = 40;
  single.dst_stride0 = 512;
  const std::vector<Store> commands{contiguous(5, 70 * dim), bytes, single};
  Timing timing;
  timing.latency = 20;
  for (const unsigned stall : {97u, 100u}) {  // 100: nothing but what is claimed
    timing.read_stall = stall;
    const Outcome out = this->bench.run(commands, timing);
    EXPECT_EQ(out.retired.size(), commands.size());
    EXPECT_TRUE(this->bench.actual == this->bench.expected(commands)) << "memory differs";
  }
}

// The matrix unit reads exponents in every cycle of block floating point, rows of one bank only for a while.
TYPED_TEST(StoreTest, ExponentsAreClaimedSoon) {
  Timing timing;
  timing.read_stall = 100;  // nothing but what is claimed
  const auto first_beat = [&](unsigned row) {
    return this->bench.run({contiguous(0, TypeParam::kDim, row)}, timing).data.at(0);
  };
  EXPECT_LT(first_beat(TypeParam::kBlockRows), 40u);
  EXPECT_GT(first_beat(TypeParam::kBlockRows - 1), 1024u);
}

TYPED_TEST(StoreTest, ContiguousStoreMovesABeatPerCycle) {
  constexpr unsigned dim = TypeParam::kDim;
  for (unsigned offset : {0u, 1u, dim - 1}) {
    const Outcome out = this->bench.run({contiguous(offset, 512 * dim)}, {});
    const unsigned beats = static_cast<unsigned>(out.data.size());
    fmt::print("dim {} offset {}: {} beats, first at {}, retired at cycle {}\n", dim, offset, beats, out.data.at(0),
               out.retired.at(0));
    EXPECT_LE(out.data.at(0), 6u);
    EXPECT_LE(out.retired.at(0), beats + 108);
    EXPECT_GE(cause(out, Cause::kMemoryLatency), 95u);
    EXPECT_LE(cause(out, Cause::kOperandWait), 8u);
  }
}

TYPED_TEST(StoreTest, ShortRunsMoveABeatPerCycle) {
  constexpr unsigned dim = TypeParam::kDim;
  // Two tiles of one block of columns each: a run is one row of the tile.
  Store c = contiguous(0, dim);
  c.count0 = 500;
  c.dst_stride0 = 256;
  c.src_stride0 = 1;
  const Outcome out = this->bench.run({c, c}, {});
  EXPECT_EQ(out.data.size(), 1000u);
  EXPECT_LE(out.data.back() - out.data.front(), 1000u + 5);
}

TYPED_TEST(StoreTest, CommandsOverlapTheirResponses) {
  constexpr unsigned dim = TypeParam::kDim;
  std::vector<Store> commands;
  for (unsigned i = 0; i < 20; ++i) commands.push_back(contiguous(i * 4096 + 1, 20 * dim, i));
  const Outcome out = this->bench.run(commands, {});
  EXPECT_LE(out.data.back() - out.data.front(), 20u * 21 + 40);
}

TYPED_TEST(StoreTest, CausesNameTheStall) {
  constexpr unsigned dim = TypeParam::kDim;
  Timing timing;
  timing.read_stall = 80;
  EXPECT_GE(cause(this->bench.run({contiguous(0, 200 * dim)}, timing), Cause::kBankConflict), 200u);
  timing.read_stall = 0;
  timing.data_stall = 80;
  EXPECT_GE(cause(this->bench.run({contiguous(0, 200 * dim)}, timing), Cause::kBackPressure), 300u);
}

TYPED_TEST(StoreTest, AssertionsFire) {
  this->bench.top().expect_assertions();
  this->bench.top().b_i = kAnswer;
  this->bench.tick();
  EXPECT_GT(this->bench.assertions(), 0) << "response nobody waits for";
}

}  // namespace
}  // namespace systole::test
