// SPDX-License-Identifier: Apache-2.0
// The LOAD engine alone: its definition over directed and random commands, its faults, and its speed in cycles.
#include <fmt/core.h>

#include "Vload_dim16.h"
#include "Vload_dim32.h"
#include "Vload_dim4.h"
#include "Vload_dim8.h"
#include "load_bench.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

using isa::Cause;
using isa::ErrorCode;
using isa::Load;

template <typename Bench>
class LoadTest : public ::testing::Test {
 protected:
  Bench bench{seed()};
};
using Benches = ::testing::Types<LoadBench<Vload_dim4, 4>, LoadBench<Vload_dim8, 8>, LoadBench<Vload_dim16, 16>,
                                 LoadBench<Vload_dim32, 32>>;
TYPED_TEST_SUITE(LoadTest, Benches);

unsigned cause(const Outcome& out, Cause which) { return out.causes[static_cast<unsigned>(which)]; }

/// Consecutive bytes to consecutive rows.
Load contiguous(unsigned dim, std::uint32_t src, unsigned bytes, unsigned dst = 0) {
  Load c;
  c.src = src;
  c.run_bytes = bytes;
  c.piece_step = c.piece_bytes = c.slot_bytes = static_cast<std::uint16_t>(bytes);
  c.slot_bytes = static_cast<std::uint16_t>((bytes + dim - 1) / dim * dim);
  c.dst = static_cast<std::uint16_t>(dst);
  c.dst_block = 1;
  c.valid_to = 1;
  return c;
}

/// The command with rows that are turned.
void turn(Load& c, int dim, Random& r) {
  const bool words = r.percent(50);
  c.turn = static_cast<std::uint8_t>(words ? isa::Turn::kWords : isa::Turn::kBytes);
  c.pieces = 1;
  c.lane = 0;
  c.slot_bytes = static_cast<std::uint16_t>(dim);
  c.piece_bytes = std::min(c.piece_bytes, c.slot_bytes);
  c.count0 = static_cast<std::uint16_t>(words ? dim / 4 : dim);
  c.valid_from = static_cast<std::uint16_t>(r.percent(60) ? 0 : r.between(0, c.count0));
  c.valid_to = static_cast<std::uint16_t>(r.percent(60) ? c.count0 : r.between(c.valid_from, c.count0));
  c.dst_stride0 = static_cast<std::uint16_t>(r.percent(80) ? r.between(1, 8) : r.between(0, 1));
}

/// A random legal command; commands that fault are drawn again unless wanted.
template <typename Bench>
Load random_command(Bench& bench, bool want_fault) {
  const int dim = Bench::kDim;
  Random& r = bench.random;
  while (true) {
    Load c;
    c.window = static_cast<std::uint8_t>(r.percent(want_fault ? 10 : 0) ? 3 : r.between(0, 2));
    c.space = static_cast<std::uint8_t>(r.between(0, 3));
    c.run_bytes = static_cast<std::uint32_t>(r.percent(20) ? r.between(1, 100 * dim) : r.between(1, 6 * dim));
    c.src = static_cast<std::uint32_t>(r.percent(50) ? r.between(0, 0x7000) : 0x1000 - r.between(0, 4 * dim));
    c.pieces = static_cast<std::uint16_t>(r.percent(30) ? 1 : r.between(1, 12));
    c.piece_bytes = static_cast<std::uint16_t>(r.between(0, r.percent(20) ? 20 * dim : 3 * dim));
    c.piece_step = static_cast<std::uint16_t>(r.percent(50) ? c.piece_bytes : r.between(0, 4 * dim));
    c.slot_bytes = static_cast<std::uint16_t>(c.piece_bytes + (r.percent(50) ? 0 : r.between(0, 2 * dim)));
    if (c.slot_bytes == 0) c.slot_bytes = 1;
    c.piece_start = static_cast<std::int16_t>(r.percent(40) ? 0 : r.between_signed(-3 * dim, 6 * dim));
    if (r.percent(2)) c.piece_start = static_cast<std::int16_t>(r.between_signed(-32768, 32767));
    c.lane = static_cast<std::uint8_t>(r.percent(50) ? 0 : r.between(0, dim - 1));
    c.fill = static_cast<std::int8_t>(r.between_signed(-128, 127));
    c.count0 = static_cast<std::uint16_t>(r.between(1, 6));
    c.count1 = static_cast<std::uint16_t>(r.percent(60) ? 1 : r.between(1, 4));
    c.valid_from = static_cast<std::uint16_t>(r.percent(60) ? 0 : r.between(0, c.count0));
    c.valid_to = static_cast<std::uint16_t>(r.percent(60) ? c.count0 : r.between(c.valid_from, c.count0));
    c.src_stride0 = static_cast<std::int32_t>(r.between_signed(-2 * dim, 300));
    c.src_stride1 = static_cast<std::int32_t>(r.between_signed(-100, 1000));
    c.dst = static_cast<std::uint16_t>(r.between(0, c.space == 2 ? 20 : 400));
    c.dst_piece = static_cast<std::uint16_t>(r.between(0, 5));
    c.dst_block = static_cast<std::uint16_t>(r.between(0, c.space == 2 ? 2 : 20));
    c.dst_stride0 = static_cast<std::uint16_t>(r.percent(10) ? -3 : r.between(0, 16));
    c.dst_stride1 = static_cast<std::uint16_t>(r.between(0, 32));
    if (c.space < 2 && r.percent(30)) turn(c, dim, r);
    if (c.piece_step < c.piece_bytes && c.piece_bytes > isa::kWindowPieceBeats * dim) continue;
    if (c.valid_from > c.valid_to) continue;
    const Fault fault = run_load(c, bench.windows, bench.expected, [](unsigned, unsigned, unsigned, std::uint8_t) {});
    if (static_cast<bool>(fault) == want_fault) return c;
  }
}

template <typename Bench>
Timing random_timing(Bench& bench) {
  static constexpr unsigned kStalls[] = {0, 0, 10, 50, 90};
  Random& r = bench.random;
  const auto stall = [&] { return kStalls[r.between(0, 4)]; };
  return {static_cast<unsigned>(r.between(1, 120)), stall(), stall(), stall(), stall()};
}

TYPED_TEST(LoadTest, EveryOffsetOfAPage) {
  constexpr unsigned dim = TypeParam::kDim;
  std::vector<Load> commands;
  for (unsigned offset = 0; offset < 4096; ++offset) {
    commands.push_back(contiguous(dim, offset, 1 + (offset * 7) % (5 * dim), offset % 64));
  }
  this->bench.run(commands, {});
}

TYPED_TEST(LoadTest, RandomCommands) {
  for (int round = 0; round < 60; ++round) {
    std::vector<Load> commands;
    for (int i = 0; i < 30; ++i) commands.push_back(random_command(this->bench, false));
    const Outcome out = this->bench.run(commands, random_timing(this->bench));
    EXPECT_EQ(out.retired.size(), commands.size());
    if (this->HasFailure()) FAIL() << "round " << round;
  }
}

TYPED_TEST(LoadTest, LineBufferFullAndReleased) {
  const unsigned dim = TypeParam::kDim;
  Random& r = this->bench.random;
  for (int round = 0; round < 12; ++round) {
    std::vector<Load> commands;
    for (int i = 0; i < 6; ++i) {
      Load c = contiguous(dim, static_cast<std::uint32_t>(r.between(0, 5000)), 1);
      c.run_bytes = static_cast<std::uint32_t>(r.between(60 * dim, 700 * dim));
      c.piece_start = static_cast<std::int16_t>(r.between_signed(-20 * static_cast<int>(dim), 300 * dim));
      c.pieces = static_cast<std::uint16_t>(r.between(1, 5));
      c.piece_bytes = static_cast<std::uint16_t>(r.between(1, isa::kWindowPieceBeats * dim));
      c.piece_step = static_cast<std::uint16_t>(r.percent(50) ? r.between(0, c.piece_bytes) : r.between(0, 200 * dim));
      c.slot_bytes = static_cast<std::uint16_t>(c.piece_bytes + r.between(0, 3 * dim));
      c.lane = static_cast<std::uint8_t>(r.between(0, dim - 1));
      c.count0 = c.valid_to = static_cast<std::uint16_t>(r.between(1, 4));
      c.src_stride0 = static_cast<std::int32_t>(r.between(0, 5000));
      c.dst_piece = 130;
      c.dst_stride0 = 7;
      commands.push_back(c);
    }
    Timing timing;
    timing.latency = static_cast<unsigned>(r.between(1, 10));
    timing.write_stall = round % 3 * 45;
    EXPECT_EQ(this->bench.run(commands, timing).retired.size(), commands.size());
    if (this->HasFailure()) FAIL() << "round " << round;
  }
  // One-beat runs fill the buffer to its last word.
  Load c = contiguous(dim, 3, dim - 3);
  c.count0 = c.valid_to = 700;
  c.src_stride0 = 96;
  c.dst_stride0 = 1;
  Timing timing;
  timing.latency = 1;
  timing.write_stall = 90;
  EXPECT_EQ(this->bench.run({c}, timing).retired.size(), 1u);
}

TYPED_TEST(LoadTest, RandomFaults) {
  for (int round = 0; round < 150; ++round) {
    std::vector<Load> commands;
    const unsigned before = static_cast<unsigned>(this->bench.random.between(0, 5));
    for (unsigned i = 0; i < before; ++i) commands.push_back(random_command(this->bench, false));
    const Load bad = random_command(this->bench, true);
    const Fault fault =
        run_load(bad, this->bench.windows, this->bench.expected, [](unsigned, unsigned, unsigned, std::uint8_t) {});
    commands.push_back(bad);
    for (int i = 0; i < 3; ++i) commands.push_back(random_command(this->bench, i == 2));
    const Outcome out = this->bench.run(commands, random_timing(this->bench));
    EXPECT_EQ(out.retired.size(), before);
    EXPECT_EQ(out.fault.code, fault.code) << to_string(out.fault.code) << ", not " << to_string(fault.code);
    EXPECT_EQ(out.fault.address, fault.address);
    if (this->HasFailure()) FAIL() << "round " << round;
    this->bench.reset();
    this->bench.expected = this->bench.actual;
  }
}

TYPED_TEST(LoadTest, BusErrorNamesTheBeat) {
  constexpr unsigned dim = TypeParam::kDim;
  // Beat 3 of the second run of the second command is read but is in no piece: its bus error counts nevertheless.
  Load first = contiguous(dim, 0, 4 * dim);
  Load second = contiguous(dim, 5, 2 * dim, 10);
  second.run_bytes = 6 * dim;
  second.count0 = second.valid_to = 3;
  second.src_stride0 = 4096;
  second.dst_stride0 = 2;
  const std::uint32_t beat = this->bench.windows.base[0] + 4096 + 3 * dim;
  this->bench.broken = {beat, beat + dim, beat + 4096};
  const Outcome out = this->bench.run({first, second, first}, {});
  EXPECT_EQ(out.retired.size(), 1u);
  EXPECT_EQ(out.fault.code, ErrorCode::kAxiRead);
  EXPECT_EQ(out.fault.address, beat);
}

// Rows before the one that holds a byte of the beat are written, no others.
TYPED_TEST(LoadTest, RowsWithABrokenBeatAreNotWritten) {
  constexpr unsigned dim = TypeParam::kDim;
  for (const unsigned offset : {0u, 1u}) {
    this->bench.broken = {this->bench.windows.base[0] + 3 * dim};
    for (const unsigned stall : {0u, 50u, 90u}) {  // rows wait for their beats
      const Outcome out = this->bench.run({contiguous(dim, offset, 8 * dim)}, {100, stall});
      EXPECT_EQ(out.fault.code, ErrorCode::kAxiRead);
      EXPECT_EQ(out.writes.size(), 3 - offset);
      this->bench.reset();
    }
  }
}

TYPED_TEST(LoadTest, TheFirstWrongRunDecides) {
  constexpr unsigned dim = TypeParam::kDim;
  // Runs 0 to 255 lie in the window, 256 does not; the rows of run `bad` are beyond the memory.
  const std::uint32_t base = this->bench.windows.base[0];
  for (const unsigned bad : {0u, 255u, 256u, 257u}) {
    Load c = contiguous(dim, 0, 2 * dim, TypeParam::kScratch - 1 - bad);
    c.count0 = c.valid_to = 400;
    c.src_stride0 = 4096;
    c.dst_stride0 = 1;
    const Outcome out = this->bench.run({c}, random_timing(this->bench));
    EXPECT_EQ(out.fault.code, bad < 256 ? ErrorCode::kScratchRange : ErrorCode::kWindow) << bad;
    EXPECT_EQ(out.fault.address, bad < 256 ? TypeParam::kScratch : this->bench.windows.size[0]) << bad;
    this->bench.reset();
  }
  for (const unsigned bad : {255u, 257u}) {  // a bus error before the violation, and a beat that is never requested
    Load c = contiguous(dim, 0, 2 * dim);
    c.count0 = c.valid_to = 400;
    c.src_stride0 = 4096;
    this->bench.broken = {base + bad * 4096};
    const Outcome out = this->bench.run({c}, random_timing(this->bench));
    EXPECT_EQ(out.fault.code, bad < 256 ? ErrorCode::kAxiRead : ErrorCode::kWindow) << bad;
    this->bench.reset();
  }
}

// 2^32 runs, of which the first is wrong: the error comes at once, not after walking through all of them.
TYPED_TEST(LoadTest, AnErrorEndsTheWalk) {
  constexpr unsigned dim = TypeParam::kDim;
  const auto endless = [&](unsigned dst) {
    Load c = contiguous(dim, 0, dim, dst);
    c.count0 = c.count1 = c.valid_to = 65535;
    return c;
  };
  const auto ends = [&](const Load& c, Fault fault, unsigned cycles) {
    for (int round = 0; round < 5; ++round) {
      const Outcome out = this->bench.run({contiguous(dim, 0, dim), c}, round ? random_timing(this->bench) : Timing{});
      EXPECT_EQ(out.retired.size(), 1u);
      EXPECT_EQ(out.fault.code, fault.code) << to_string(out.fault.code);
      EXPECT_EQ(out.fault.address, fault.address);
      EXPECT_LT(out.cycles, round ? 20000u : cycles);
      this->bench.reset();
    }
  };
  ends(endless(65535), {ErrorCode::kScratchRange, 65535}, 800);  // up to 256 beats are already requested
  Load parameters = endless(TypeParam::kParams);
  parameters.space = static_cast<std::uint8_t>(isa::Space::kParam);
  ends(parameters, {ErrorCode::kParamRange, TypeParam::kParams}, 800);
  constexpr unsigned kernel_rows = LoadMemories::kKernelBytes / dim;
  Load kernels = endless(kernel_rows);
  kernels.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  ends(kernels, {ErrorCode::kKernelRange, kernel_rows}, 800);
  Load unread = endless(65535);  // no run is read
  unread.valid_to = 0;
  ends(unread, {ErrorCode::kScratchRange, 65535}, 300);
  Load outside = endless(0);
  outside.src = this->bench.windows.size[0];
  ends(outside, {ErrorCode::kWindow, outside.src}, 300);
  this->bench.broken = {this->bench.windows.base[0] + 4096};
  Load broken = endless(0);
  broken.src = 4096;
  ends(broken, {ErrorCode::kAxiRead, *this->bench.broken.begin()}, 800);
}

TYPED_TEST(LoadTest, OverlappingWindowsOfALongRun) {
  constexpr unsigned dim = TypeParam::kDim;
  // 7x7 kernel, stride 2, 3 channels, padding 3: one run is an image row, one piece the seven columns of a position.
  Load c;
  c.run_bytes = 224 * 3;
  c.piece_start = -9;
  c.pieces = 112;
  c.piece_step = 6;
  c.piece_bytes = 21;
  c.slot_bytes = 21;
  c.lane = dim > 5 ? 5 : 1;
  c.fill = -7;
  c.count0 = 4;
  c.valid_from = 1;
  c.valid_to = 3;
  c.src_stride0 = 224 * 3;
  c.dst_piece = 1;
  c.dst_stride0 = 0;
  c.dst_block = 112;
  const Outcome out = this->bench.run({c, c}, {});
  EXPECT_EQ(out.retired.size(), 2u);
  // The longest overlapping piece there is, window by one byte, with an unread tail longer than the buffer.
  Load longest;
  longest.src = 3;
  longest.run_bytes = 700 * dim;
  longest.piece_start = 2;
  longest.pieces = 10;
  longest.piece_step = 1;
  longest.piece_bytes = longest.slot_bytes = static_cast<std::uint16_t>(isa::kWindowPieceBeats * dim);
  longest.count0 = longest.valid_to = 2;
  longest.dst_block = 1;
  longest.dst_piece = 2;
  longest.dst_stride0 = 128;
  EXPECT_EQ(this->bench.run({longest, c}, {}).retired.size(), 2u);
}

// The fill behind a piece is no reason to release the beats of the next piece.
TYPED_TEST(LoadTest, SlotsAsLongAsTheLineBuffer) {
  constexpr unsigned dim = TypeParam::kDim;
  Load c = contiguous(dim, 0, dim);
  c.run_bytes = 700 * dim;
  c.pieces = 3;
  c.slot_bytes = 250 * dim;
  c.dst_piece = 255;
  EXPECT_EQ(this->bench.run({c}, {1}).retired.size(), 1u);
}

// The last piece lies 2^26 bytes behind the third byte of its run: where positions have wrapped, but for those
// that stay.
TYPED_TEST(LoadTest, PiecesFarBehindTheirRunAreFill) {
  Load c;
  c.run_bytes = 16;
  c.piece_start = 1024 + 3;
  c.pieces = 1025;
  c.piece_step = 65535;
  c.piece_bytes = c.slot_bytes = 1;
  c.fill = 77;
  c.valid_to = 1;
  c.dst = 9;
  EXPECT_EQ(this->bench.run({c, c}, {}).retired.size(), 2u);
}

TYPED_TEST(LoadTest, WeightRingWraps) {
  constexpr unsigned dim = TypeParam::kDim;
  Load c = contiguous(dim, 64, 40 * dim, TypeParam::kWeights - 5);
  c.space = static_cast<std::uint8_t>(isa::Space::kWeight);
  EXPECT_EQ(this->bench.run({c}, {}).retired.size(), 1u);
}

TYPED_TEST(LoadTest, KernelMemoryToItsLastRow) {
  constexpr unsigned dim = TypeParam::kDim, rows = LoadMemories::kKernelBytes / dim;
  Load c = contiguous(dim, 64, 40 * dim, rows - 40);
  c.space = static_cast<std::uint8_t>(isa::Space::kKernel);
  EXPECT_EQ(this->bench.run({c}, random_timing(this->bench)).retired.size(), 1u);
  ++c.dst;
  const Outcome out = this->bench.run({c}, random_timing(this->bench));
  EXPECT_EQ(out.fault.code, ErrorCode::kKernelRange) << to_string(out.fault.code);
  EXPECT_EQ(out.fault.address, rows);
}

TYPED_TEST(LoadTest, ContiguousLoadTakesLatencyAndBeats) {
  constexpr unsigned dim = TypeParam::kDim;
  for (unsigned offset : {0u, 1u, dim - 1}) {
    const Outcome out = this->bench.run({contiguous(dim, offset, dim < 8 ? 2048 : 4096)}, {});
    const unsigned beats = static_cast<unsigned>(out.beats);
    fmt::print("dim {} offset {}: {} beats, retired at cycle {}\n", dim, offset, beats, out.retired.at(0));
    EXPECT_LE(out.retired.at(0), beats + 110);
    EXPECT_EQ(cause(out, Cause::kWorking), out.writes.size());
    EXPECT_GE(cause(out, Cause::kMemoryLatency), 95u);
    EXPECT_LE(cause(out, Cause::kOperandWait), 8u);
  }
}

TYPED_TEST(LoadTest, ShortRunsReachOneBeatPerCycle) {
  constexpr unsigned dim = TypeParam::kDim;
  Load c = contiguous(dim, 0, dim);
  c.count0 = c.valid_to = 700;
  c.src_stride0 = 96;
  c.dst_stride0 = 1;
  const Outcome out = this->bench.run({c}, {});
  EXPECT_EQ(out.beats, 700u);
  EXPECT_LE(out.retired.at(0), 700u + 115);
  EXPECT_LE(out.addresses.back() - out.addresses.front(), 700u + 10);
}

TYPED_TEST(LoadTest, PiecesAndRunsEmitOneRowPerCycle) {
  constexpr unsigned dim = TypeParam::kDim;
  // NHWC with three channel blocks: a run is an image row of 20 positions, a piece one position, scattered to planes.
  Load c;
  c.run_bytes = 20 * 3 * dim;
  c.pieces = 20;
  c.piece_step = c.piece_bytes = c.slot_bytes = 3 * dim;
  c.count0 = c.valid_to = 10;
  c.src_stride0 = 20 * 3 * dim;
  c.dst_piece = 1;
  c.dst_block = 210;
  c.dst_stride0 = 20;
  const Outcome out = this->bench.run({c}, {});
  EXPECT_EQ(out.writes.size(), 600u);
  EXPECT_LE(out.writes.back() - out.writes.front(), 600u + 5);
}

TYPED_TEST(LoadTest, RowsAreTurnedAtOneRowPerCycle) {
  constexpr unsigned dim = TypeParam::kDim;
  for (const isa::Turn turn : {isa::Turn::kBytes, isa::Turn::kWords}) {
    Load c = contiguous(dim, 0, dim);
    c.turn = static_cast<std::uint8_t>(turn);
    c.count0 = c.valid_to = static_cast<std::uint16_t>(turn == isa::Turn::kWords ? dim / 4 : dim);
    c.count1 = 20;
    c.src_stride0 = 96;
    c.src_stride1 = static_cast<std::int32_t>(dim);
    c.dst_stride0 = 1;
    c.dst_stride1 = c.count0;
    const Outcome out = this->bench.run({c}, {});
    const unsigned rows = 20u * c.count0;
    EXPECT_EQ(out.writes.size(), rows);
    EXPECT_LE(out.writes.back() - out.writes.front(), rows + 8);
    EXPECT_LE(out.retired.at(0), rows + c.count0 + 115);
  }
}

// A turned group stays in the array until the rows of the next one push it out. The second group of the command ends in
// an error, so that the first is complete and is not written.
TYPED_TEST(LoadTest, ResetForgetsATurnedGroup) {
  constexpr unsigned dim = TypeParam::kDim;
  Load turned = contiguous(dim, 0, dim);
  turned.turn = static_cast<std::uint8_t>(isa::Turn::kBytes);
  turned.count0 = turned.valid_to = static_cast<std::uint16_t>(dim);
  turned.src_stride0 = 96;
  turned.dst_stride0 = 1;
  Load wrong = turned;
  wrong.count1 = 2;
  wrong.dst_stride1 = TypeParam::kScratch;
  const Load passing = contiguous(dim, 5, 3 * dim, 200);
  for (const Load& next : {turned, passing}) {
    for (int round = 0; round < 10; ++round) {
      const Outcome stopped = this->bench.run({wrong}, random_timing(this->bench));
      EXPECT_EQ(stopped.fault, (Fault{ErrorCode::kScratchRange, TypeParam::kScratch}));
      EXPECT_TRUE(stopped.writes.empty());
      this->bench.reset();
      EXPECT_EQ(this->bench.run({next, turned}, random_timing(this->bench)).retired.size(), 2u);
      if (this->HasFailure()) FAIL() << "round " << round;
    }
  }
}

TYPED_TEST(LoadTest, LatencyHidesBehindEarlierCommands) {
  constexpr unsigned dim = TypeParam::kDim;
  std::vector<Load> commands;
  for (unsigned i = 0; i < 20; ++i) commands.push_back(contiguous(dim, i * 4096 + 1, 40 * dim, i));
  const Outcome out = this->bench.run(commands, {});
  for (unsigned i = 1; i < 20; ++i) EXPECT_LE(out.retired.at(i) - out.retired.at(i - 1), 48u);
}

TYPED_TEST(LoadTest, StalledMemoryIsABankConflict) {
  constexpr unsigned dim = TypeParam::kDim;
  Timing timing;
  timing.latency = 5;
  timing.write_stall = 80;
  const Outcome out = this->bench.run({contiguous(dim, 0, 200 * dim)}, timing);
  EXPECT_GE(cause(out, Cause::kBankConflict), 400u);
  timing.write_stall = 0;
  timing.read_stall = 60;
  const Outcome slow = this->bench.run({contiguous(dim, 0, 200 * dim)}, timing);
  EXPECT_GE(cause(slow, Cause::kMemoryBandwidth), 200u);
}

TYPED_TEST(LoadTest, AssertionsFire) {
  this->bench.top().expect_assertions();
  this->bench.top().r_i = kAnswer;
  this->bench.tick();
  EXPECT_GT(this->bench.assertions(), 0) << "data nobody asked for";
  const int before = this->bench.assertions();
  for (int i = 0; i < isa::kLineBufferBeats + 1; ++i) this->bench.tick();
  EXPECT_GT(this->bench.assertions(), before);
  this->bench.reset();
  const int then = this->bench.assertions();
  constexpr unsigned dim = TypeParam::kDim;
  Load cut = contiguous(dim, 0, dim);
  cut.turn = static_cast<std::uint8_t>(isa::Turn::kBytes);
  this->bench.offer(cut);
  EXPECT_GT(this->bench.assertions(), then) << "a command that ends within a group";
}

TEST(DmaBench, BurstRulesAreChecked) {
  EXPECT_FALSE(burst_violation(4096 - 32 * 16, 32, 16));
  EXPECT_TRUE(burst_violation(8, 1, 16));
  EXPECT_TRUE(burst_violation(0, 33, 16));
  EXPECT_TRUE(burst_violation(4096 - 16, 2, 16));
}

}  // namespace
}  // namespace systole::test
