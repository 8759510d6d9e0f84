// SPDX-License-Identifier: Apache-2.0
// The depthwise unit and its set-up: random commands back to back and with gaps, a busy weight ring, against the
// formula of the DEPTHWISE page; its reads and the number of positions; faults; a reset during a command.
#include "Vdepthwise_dim16.h"
#include "Vdepthwise_dim32.h"
#include "Vdepthwise_dim4.h"
#include "Vdepthwise_dim4lean.h"
#include "Vdepthwise_dim8lean.h"
#include "depthwise_bench.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

using isa::Depthwise;
using isa::ErrorCode;

template <class B>
class DepthwiseUnit : public ::testing::Test {};

using Benches = ::testing::Types<DepthwiseBench<Vdepthwise_dim4, 4>, DepthwiseBench<Vdepthwise_dim8lean, 8>,
                                 DepthwiseBench<Vdepthwise_dim16, 16>, DepthwiseBench<Vdepthwise_dim32, 32>,
                                 DepthwiseBench<Vdepthwise_dim4lean, 4>>;
TYPED_TEST_SUITE(DepthwiseUnit, Benches);

std::uint16_t u16(int value) { return static_cast<std::uint16_t>(value); }
std::uint8_t u8(int value) { return static_cast<std::uint8_t>(value); }

template <class B>
Depthwise random_command(B& b) {
  Depthwise c;
  c.accumulate = u8(b.pick(0, 1));
  c.kernel_h = u8(b.pick(1, 3));
  c.kernel_w = u8(b.pick(1, 3));
  c.stride_h = u8(b.pick(0, 1) ? 1 : b.pick(1, 4));
  c.stride_w = u8(b.pick(0, 1) ? 1 : b.pick(1, 4));
  c.blocks = u16(b.pick(1, 3));
  c.in_height = u16(b.pick(1, 9));
  c.in_width = u16(b.pick(1, 12));
  c.row_stride = u16(c.in_width + b.pick(0, 2));
  c.plane_stride = u16(c.in_height * c.row_stride + b.pick(0, 3));
  c.act_row = u16(b.pick(0, B::kScratchRows - c.blocks * c.plane_stride));
  c.weight_row = u16(b.pick(0, 65535));
  c.out_height = u16(b.pick(1, 7));
  c.out_width = u16(b.pick(1, 9));
  c.acc_row = u16(b.pick(0, B::kAccRows - c.blocks * c.out_height * c.out_width));
  c.y0 = static_cast<std::int16_t>(b.pick(-5, 4));
  c.x0 = static_cast<std::int16_t>(b.pick(-5, 4));
  c.pad_value = static_cast<std::int8_t>(b.pick(-128, 127));
  return c;
}

template <class B>
void expect_right(B& bench) {
  EXPECT_FALSE(bench.fault);
  EXPECT_TRUE(bench.acc == bench.expected);
  EXPECT_EQ(bench.steps, bench.expected_steps);
  EXPECT_EQ(bench.reads, bench.expected_reads) << "not every vector between the outermost taps was read once";
}

TYPED_TEST(DepthwiseUnit, RandomCommands) {
  const auto seed = test::seed();
  for (const Chances& chances :
       {Chances{}, Chances{100, 30, 100}, Chances{20, 80, 50}, Chances{100, 100, 20}, Chances{100, 90, 90, 60}}) {
    TypeParam bench(seed + static_cast<unsigned>(chances.ring + chances.go));
    std::vector<Depthwise> commands;
    for (int i = 0; i < 200; ++i) {
      auto c = random_command(bench);
      // Sometimes continues exactly where the previous command ended: the shortest distance between accesses of one
      // accumulator row.
      if (i > 0 && bench.chance(30)) {
        const auto& p = commands.back();
        const int row = p.acc_row + p.blocks * p.out_height * p.out_width - 1 - bench.pick(0, 2);
        if (row >= 0 && row + c.blocks * c.out_height * c.out_width <= TypeParam::kAccRows) {
          c.acc_row = u16(row);
          c.accumulate = 1;
          if (bench.chance(50)) c.kernel_h = c.kernel_w = 1;
        }
      }
      bench.reference(c);
      commands.push_back(c);
    }
    bench.run(commands, chances);
    expect_right(bench);
  }
}

TYPED_TEST(DepthwiseUnit, LinesOfEveryLength) {
  TypeParam bench(test::seed());
  for (const int width : {1, 2, 3, 4, 63, 84, 126, 127, 252, 253, 254}) {
    for (int stride = 1; stride * width <= isa::kDepthwiseColumns && stride <= 4; ++stride) {
      Depthwise c = random_command(bench);
      c.stride_h = 1;
      c.stride_w = u8(stride);
      c.blocks = 1;
      c.out_height = u16(width > 63 ? bench.pick(1, 2) : bench.pick(1, 4));
      c.out_width = u16(width);
      c.in_width = u16(bench.pick(std::max(1, width * stride - 4), width * stride + 5));
      c.in_height = 2;
      c.row_stride = c.in_width;
      c.act_row = u16(bench.pick(0, TypeParam::kScratchRows - 2 * c.in_width));
      c.acc_row = 0;
      bench.reference(c);
      bench.run({c});
    }
  }
  expect_right(bench);
}

TYPED_TEST(DepthwiseUnit, CoordinatesFarOutsideArePadding) {
  TypeParam bench(test::seed());
  for (const int far : {-32768, 32767}) {
    Depthwise c = random_command(bench);
    c.y0 = static_cast<std::int16_t>(far);
    c.x0 = static_cast<std::int16_t>(-1 - far);
    c.in_height = c.in_width = 32767;
    bench.reference(c);
    bench.run({c});
  }
  expect_right(bench);
}

/// 3x3 over 6x6 with a padding of 1, `blocks` of them.
Depthwise padded_block(int blocks) {
  Depthwise c;
  c.blocks = u16(blocks);
  c.in_height = c.in_width = c.out_height = c.out_width = c.row_stride = 6;
  c.plane_stride = 36;
  c.kernel_h = c.kernel_w = 3;
  c.y0 = c.x0 = -1;
  return c;
}

TYPED_TEST(DepthwiseUnit, BlocksAndCommandsFollowWithoutAGap) {
  TypeParam bench(test::seed());
  const std::vector<Depthwise> commands(5, padded_block(4));
  for (const auto& c : commands) bench.reference(c);
  const int taken = bench.run(commands);
  EXPECT_EQ(bench.steps, 5 * 4 * 43);
  EXPECT_EQ(bench.weight_waits, bench.first_step - 10) << "the weights of all blocks but the first are there";
  EXPECT_EQ(bench.first_step, 4 + 2 + 9) << "set-up and the first nine taps, from the end of reset";
  EXPECT_EQ(taken, bench.first_step - 4 + 5 * 4 * 43 + 4) << "positions were lost between blocks or commands";
  expect_right(bench);
}

TYPED_TEST(DepthwiseUnit, WaitsForWeights) {
  TypeParam bench(test::seed());
  Depthwise c = padded_block(8);
  c.out_height = c.out_width = 1;
  c.y0 = c.x0 = 0;
  bench.reference(c);
  bench.run({c}, {100, 10, 100});
  EXPECT_GT(bench.weight_waits, 100);
  expect_right(bench);
}

TYPED_TEST(DepthwiseUnit, FaultsNameTheRow) {
  const auto check = [](auto change, ErrorCode code, std::uint32_t address) {
    TypeParam bench(test::seed());
    const Depthwise good = padded_block(2);
    Depthwise bad = padded_block(2);
    change(bad);
    bench.reference(good);
    bench.run({good, bad, good});
    ASSERT_TRUE(bench.fault);
    EXPECT_EQ(bench.fault->code, static_cast<unsigned>(code));
    EXPECT_EQ(bench.fault->address, address);
    bench.idle(50);
    EXPECT_EQ(bench.done, 1u);
    EXPECT_FALSE(bench.top.busy_o);
    EXPECT_TRUE(bench.top.fault_o);
  };
  constexpr int kAcc = TypeParam::kAccRows, kScratch = TypeParam::kScratchRows;
  check([](Depthwise& c) { c.acc_row = kAcc - 71; }, ErrorCode::kAccRange, kAcc);
  check([](Depthwise& c) { c.acc_row = kAcc + 9; }, ErrorCode::kAccRange, kAcc + 9);
  check(
      [](Depthwise& c) {
        c.out_height = 65535;
        c.out_width = 254;
        c.blocks = 1;
      },
      ErrorCode::kAccRange, kAcc);
  check(
      [](Depthwise& c) {  // a power of two: nothing remains of the number in fewer bits
        c.out_height = 8;
        c.out_width = 128;
        c.blocks = 1;
      },
      ErrorCode::kAccRange, kAcc);
  check([](Depthwise& c) { c.act_row = kScratch - 37; }, ErrorCode::kScratchRange, kScratch);
  check([](Depthwise& c) { c.act_row = kScratch + 3; }, ErrorCode::kScratchRange, kScratch + 3);
  check([](Depthwise& c) { c.blocks = 29; }, ErrorCode::kWeightRange, 29 * 9);
  check(
      [](Depthwise& c) {
        c.blocks = 29;
        c.acc_row = kAcc;
      },
      ErrorCode::kWeightRange, 29 * 9);
}

TYPED_TEST(DepthwiseUnit, ResetOnTheWay) {
  TypeParam bench(test::seed());
  for (int limit = 5; limit < 120; limit += 7) {
    bench.run({padded_block(3), padded_block(3)}, {}, limit);
    bench.reset();
  }
  bench.steps = bench.reads = 0;
  bench.expected = bench.acc;
  Depthwise c = padded_block(3);
  c.accumulate = 1;
  bench.reference(c);
  bench.run({c});
  expect_right(bench);
}

}  // namespace
}  // namespace systole::test
