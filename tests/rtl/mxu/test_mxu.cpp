// SPDX-License-Identifier: Apache-2.0
// The matrix unit with memories in C++: random convolutions back to back, with random gaps between commands, against
// the formula of the CONV page, of integers and in block floating point; faults; and the cycles that a run of tiles
// takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "Vmxu_dim16.h"
#include "Vmxu_dim32.h"
#include "Vmxu_dim4.h"
#include "Vmxu_dim8.h"
#include "block_model.hpp"
#include "block_sum.hpp"
#include "engine_report.hpp"
#include "seed.hpp"
#include "systole/generated/isa.hpp"

namespace {

using systole::isa::Conv;
using systole::isa::Depthwise;
using systole::isa::ErrorCode;
using systole::isa::Instruction;

struct Fault {
  unsigned code;
  std::uint32_t address;
};

bool skipped(const Conv& c, int tile) {
  const std::uint32_t words[] = {c.skip0, c.skip1, c.skip2, c.skip3};
  return tile < 128 && ((words[tile / 32] >> tile % 32) & 1) != 0;
}

template <class Model, int kDim, int kScratch, int kWeights, int kAcc>
class Bench {
 public:
  static constexpr int kDimension = kDim;
  static constexpr int kScratchRows = kScratch;
  static constexpr int kWeightRows = kWeights;
  static constexpr int kAccRows = kAcc;
  static constexpr int kLanes = kDim < 16 ? kDim : 16;  ///< channels of a tile in block floating point
  static constexpr int kParts = kDim / kLanes, kPlanes = 16 / kLanes;

  explicit Bench(std::uint64_t seed)
      : rng(seed),
        scratch(kScratch * kDim),
        weights(kWeights * kDim),
        exponents(kScratch * kParts),
        acc(kAcc * kDim),
        products(kAcc * kDim) {
    for (auto& v : exponents) v = static_cast<std::uint8_t>(rng());
    for (auto& v : scratch) v = static_cast<std::int8_t>(rng());
    for (auto& v : weights) v = static_cast<std::int8_t>(rng());
    for (auto& v : acc) v = static_cast<std::int32_t>(rng());
    expected = acc;
    top.rst_ni = 0;
    top.cmd_valid_i = 0;
    for (int i = 0; i < 4; ++i) cycle();
    top.rst_ni = 1;
    cycle();
  }

  /// Runs the commands in order; a new one is offered with probability `percent` per cycle. Returns the cycles taken.
  int run(const std::vector<Conv>& commands, int percent) {
    std::vector<Instruction> list;
    for (const Conv& c : commands) list.push_back(c.encode());
    return run(list, percent);
  }

  int run(const std::vector<Instruction>& commands, int percent) {
    std::size_t offered = 0;
    const int first = cycles;
    const unsigned goal = retired + static_cast<unsigned>(commands.size());
    int quiet = 0;
    while (retired < goal && !fault && quiet < 200000) {
      if (!top.cmd_valid_i && offered < commands.size() && static_cast<int>(rng() % 100) < percent) {
        std::memcpy(&top.cmd_instr_i, commands[offered].words.data(), 64);
        top.cmd_valid_i = 1;
      }
      top.eval();
      const bool taken = top.cmd_valid_i && top.cmd_ready_o;
      cycle();
      if (taken) {
        top.cmd_valid_i = 0;
        ++offered;
      }
      ++quiet;
    }
    EXPECT_LT(quiet, 200000) << "the matrix unit hangs";
    const int taken = cycles - first;
    for (int i = 0; i < 4 * kDimension && !fault; ++i) cycle();  // a fault may come after the last command
    return taken;
  }

  /// The CONV page in plain loops, on the expected accumulators.
  void reference(const Conv& c) {
    if (c.block_float) return block_reference(c);
    const int tiles = c.blocks * c.kernel_h * c.kernel_w;
    int tile = 0, present = 0;
    for (int kb = 0; kb < c.blocks; ++kb)
      for (int ky = 0; ky < c.kernel_h; ++ky)
        for (int kx = 0; kx < c.kernel_w; ++kx, ++tile) {
          if (tile < tiles - 1 && skipped(c, tile)) continue;
          for (int oy = 0; oy < c.out_height; ++oy)
            for (int ox = 0; ox < c.out_width; ++ox) {
              const int y = c.y0 + oy * c.stride_h + ky * c.dilation_h;
              const int x = c.x0 + ox * c.stride_w + kx * c.dilation_w;
              const bool inside = y >= 0 && y < c.in_height && x >= 0 && x < c.in_width;
              const int row = (c.act_row + kb * c.plane_stride + y * c.row_stride + x) & 0xffff;
              expected_padded += !inside;
              std::int32_t* sums = &expected[static_cast<std::size_t>(c.acc_row + oy * c.out_width + ox) * kDim];
              for (int n = 0; n < kDim; ++n) {
                std::uint32_t sum = present == 0 && !c.accumulate ? 0 : static_cast<std::uint32_t>(sums[n]);
                for (int k = 0; k < kDim; ++k) {
                  const int a = inside ? scratch[static_cast<std::size_t>(row) * kDim + k] : c.pad_value;
                  const int w =
                      weights[static_cast<std::size_t>((c.weight_row + present * kDim + k) % kWeights) * kDim + n];
                  sum += static_cast<std::uint32_t>(a * w);
                }
                sums[n] = static_cast<std::int32_t>(sum);
              }
            }
          ++present;
        }
  }

  /// One position after the other.
  void block_reference(const Conv& c) {
    for (int p = 0; p < c.out_height * c.out_width; ++p) {
      std::vector<std::int32_t> sums(kDim);
      for (int tile = 0; tile < c.blocks * c.kernel_h * c.kernel_w * kParts; ++tile) {
        const int part = tile % kParts, kb = tile / kParts % c.blocks, tap = tile / kParts / c.blocks;
        const int y = c.y0 + p / c.out_width * c.stride_h + tap / c.kernel_w * c.dilation_h;
        const int x = c.x0 + p % c.out_width * c.stride_w + tap % c.kernel_w * c.dilation_w;
        const bool inside = y >= 0 && y < c.in_height && x >= 0 && x < c.in_width;
        const int row = (c.act_row + kb * c.plane_stride + y * c.row_stride + x) & 0xffff;
        const int weight_row = c.weight_row + tile * (kLanes + 1);
        const auto weight = [&](int k, int n) { return weights[(weight_row + k) % kWeights * kDim + n]; };
        expected_padded += !inside;
        if (kb % kPlanes == 0) std::fill(sums.begin(), sums.end(), 0);
        for (int n = 0; n < kDim; ++n) {
          for (int k = 0; k < kLanes; ++k)
            sums[n] += (inside ? scratch[row * kDim + part * kLanes + k] : c.pad_value) * weight(k, n);
          if (kb % kPlanes != kPlanes - 1 && kb != c.blocks - 1) continue;
          std::int32_t& sum = expected[(c.acc_row + p) * kDim + n];
          const float before =
              tap == 0 && kb < kPlanes && part == 0 && !c.accumulate ? 0.0F : std::bit_cast<float>(sum);
          sum = std::bit_cast<std::int32_t>(
              systole::model::add_block(before, sums[n], inside ? exponents[row * kParts + part] : std::uint8_t{0},
                                        static_cast<std::uint8_t>(weight(kLanes, n))));
        }
      }
    }
  }

  /// The DEPTHWISE page in plain loops.
  void reference(const Depthwise& c) {
    const int taps = c.kernel_h * c.kernel_w, positions = c.out_height * c.out_width;
    for (int i = 0; i < c.blocks * positions; ++i) {
      const int kb = i / positions, p = i % positions;
      std::int32_t* sums = &expected[static_cast<std::size_t>(c.acc_row + i) * kDim];
      for (int n = 0; n < kDim; ++n) {
        std::uint32_t sum = c.accumulate ? static_cast<std::uint32_t>(sums[n]) : 0;
        for (int t = 0; t < taps; ++t) {
          const int y = c.y0 + p / c.out_width * c.stride_h + t / c.kernel_w;
          const int x = c.x0 + p % c.out_width * c.stride_w + t % c.kernel_w;
          const bool inside = y >= 0 && y < c.in_height && x >= 0 && x < c.in_width;
          const int row = (c.act_row + kb * c.plane_stride + y * c.row_stride + x) & 0xffff;
          const int a =
              inside ? scratch[static_cast<std::size_t>(row) * kDim + static_cast<std::size_t>(n)] : c.pad_value;
          const int w = weights[static_cast<std::size_t>((c.weight_row + kb * taps + t) % kWeights) * kDim +
                                static_cast<std::size_t>(n)];
          sum += static_cast<std::uint32_t>(a * w);
        }
        sums[n] = static_cast<std::int32_t>(sum);
      }
    }
  }

  systole::test::BlockModel<Model> top;
  std::mt19937_64 rng;
  std::vector<std::int8_t> scratch, weights;
  std::vector<std::uint8_t> exponents;  ///< of scratch rows
  std::vector<std::int32_t> acc, products, expected;
  unsigned retired = 0;
  std::optional<Fault> fault;
  int cycles = 0;
  int working = 0;
  int hold_percent = 0;                 ///< cycles in which the scratchpad is another's
  int padded = 0, expected_padded = 0;  ///< vectors made of pad_value

 private:
  void cycle() {
    top.clk_i = 0;
    top.hold_i = static_cast<int>(rng() % 100) < hold_percent;
    top.eval();
    EXPECT_FALSE(top.hold_i && top.rd_valid_o) << "a read in a cycle that is another's";
    // Sample what the rising edge will see, then give the memories' answers behind it.
    const bool with_exponents = top.rd_blocks_o, block = top.mac_block_o;
    const bool begin = top.mac_begin_o, complete = top.mac_complete_o;
    const std::uint8_t act_exponent = top.mac_act_exponent_o;
    std::uint8_t weight_exponents[kDim];
    std::memcpy(weight_exponents, &top.mac_weight_exponents_o, kDim);
    const bool read = top.rd_valid_o, weight_read = top.wt_rd_valid_o, mac = top.mac_valid_o;
    const unsigned row = top.rd_row_o, weight_row = top.wt_rd_row_o, mac_row = top.mac_row_o;
    const bool accumulate = top.mac_accumulate_o;
    std::int32_t sums[kDim];
    std::memcpy(sums, &top.mac_data_o, sizeof sums);
    if (top.rst_ni) {
      const auto report = systole::test::report_of(top.report_o);
      EXPECT_EQ(1, __builtin_popcount(report.cause)) << "cause is not one-hot";
      working += report.cause == 1u << static_cast<int>(systole::isa::Cause::kWorking);
      padded += top.padded_vector_o;
      retired += report.retire;
      if (report.fault.valid) {
        EXPECT_FALSE(fault) << "a second fault";
        fault = Fault{report.fault.code, report.fault.addr};
      }
    }
    top.clk_i = 1;
    top.eval();
    ++cycles;
    if (read) {
      ASSERT_LT(row, static_cast<unsigned>(kScratch));
      std::memcpy(&top.rd_data_i, &scratch[row * kDim], kDim);
      if (with_exponents) std::memcpy(&top.rd_exponents_i, &exponents[row * kParts], kParts);
    }
    if (weight_read) std::memcpy(&top.wt_rd_data_i, &weights[weight_row * kDim], kDim);
    if (mac) {
      ASSERT_LT(mac_row, static_cast<unsigned>(kAcc));
      auto& before = written[mac_row];
      EXPECT_TRUE(before == 0 || cycles - before >= (of_blocks[mac_row] ? 8 : 4))
          << "row " << mac_row << " before its sum is written";
      before = cycles;
      of_blocks[mac_row] = block;
      EXPECT_TRUE(block || last_block == 0 || cycles - last_block >= 8) << "integers before the last sum of binary32";
      if (block) last_block = cycles;
      for (int n = 0; n < kDim; ++n) {
        auto& a = acc[mac_row * kDim + static_cast<unsigned>(n)];
        if (block) {
          auto& product = products[mac_row * kDim + static_cast<unsigned>(n)];
          product = (begin ? 0 : product) + sums[n];
          const float added_to = accumulate ? std::bit_cast<float>(a) : 0.0F;
          if (complete)
            a = std::bit_cast<std::int32_t>(
                systole::model::add_block(added_to, product, act_exponent, weight_exponents[n]));
          continue;
        }
        a = static_cast<std::int32_t>((accumulate ? static_cast<std::uint32_t>(a) : 0u) +
                                      static_cast<std::uint32_t>(sums[n]));
      }
    }
  }

  std::vector<int> written = std::vector<int>(kAcc);  // cycle of a row's last sum
  std::vector<bool> of_blocks = std::vector<bool>(kAcc);
  int last_block = 0;  // cycle of the last sum of binary32
};

template <class B>
class Mxu : public ::testing::Test {};

using Benches = ::testing::Types<Bench<Vmxu_dim4, 4, 768, 256, 64>, Bench<Vmxu_dim8, 8, 6144, 2048, 512>,
                                 Bench<Vmxu_dim16, 16, 12288, 4096, 1024>, Bench<Vmxu_dim32, 32, 768, 1024, 128>>;
TYPED_TEST_SUITE(Mxu, Benches);

template <class B>
Conv random_conv(B& b) {
  auto pick = [&](int low, int high) {
    return low + static_cast<int>(b.rng() % static_cast<unsigned>(high - low + 1));
  };
  Conv c;
  c.accumulate = static_cast<std::uint8_t>(pick(0, 1));
  c.kernel_h = static_cast<std::uint8_t>(pick(1, 3));
  c.kernel_w = static_cast<std::uint8_t>(pick(1, 3));
  c.stride_h = static_cast<std::uint8_t>(pick(1, 3));
  c.stride_w = static_cast<std::uint8_t>(pick(1, 3));
  c.dilation_h = static_cast<std::uint8_t>(pick(1, 2));
  c.dilation_w = static_cast<std::uint8_t>(pick(1, 2));
  c.blocks = static_cast<std::uint16_t>(pick(1, 3));
  c.in_height = static_cast<std::uint16_t>(pick(1, 8));
  c.in_width = static_cast<std::uint16_t>(pick(1, 8));
  c.row_stride = static_cast<std::uint16_t>(c.in_width + pick(0, 2));
  c.plane_stride = static_cast<std::uint16_t>(c.in_height * c.row_stride + pick(0, 3));
  c.act_row = static_cast<std::uint16_t>(pick(0, B::kScratchRows - c.blocks * c.plane_stride));
  c.weight_row = static_cast<std::uint16_t>(pick(0, B::kWeightRows - 1));
  c.out_height = static_cast<std::uint16_t>(pick(1, 4));
  c.out_width = static_cast<std::uint16_t>(pick(1, 9));
  c.acc_row = static_cast<std::uint16_t>(pick(0, B::kAccRows - c.out_height * c.out_width));
  c.y0 = static_cast<std::int16_t>(pick(-3, 1));
  c.x0 = static_cast<std::int16_t>(pick(-3, 1));
  c.pad_value = static_cast<std::int8_t>(pick(-128, 127));
  return c;
}

/// Random convolutions back to back, with gaps, and with cycles in which the scratchpad is another's. `block_percent`
/// of them are in block floating point.
template <class B>
void run_random(int block_percent) {
  const auto seed = systole::test::seed();
  for (int percent : {100, 50, 5}) {
    B bench(seed + static_cast<unsigned>(percent));
    bench.hold_percent = percent == 50 ? 30 : 0;
    std::vector<Conv> commands;
    for (int i = 0; i < 150; ++i) {
      auto c = random_conv(bench);
      c.block_float = static_cast<int>(bench.rng() % 100) < block_percent;
      if (!c.block_float && bench.rng() % 3 == 0) c.skip0 = static_cast<std::uint32_t>(bench.rng());
      // Sometimes continues exactly where the previous command ended: the shortest distance between accesses of one
      // accumulator row.
      if (i > 0 && bench.rng() % 3 == 0) {
        const auto& p = commands.back();
        const int row = p.acc_row + p.out_height * p.out_width - 1 - static_cast<int>(bench.rng() % 9);
        if (row >= 0 && row + c.out_height * c.out_width <= B::kAccRows) {
          c.acc_row = static_cast<std::uint16_t>(row);
          c.accumulate = 1;
        }
      }
      bench.reference(c);
      commands.push_back(c);
    }
    bench.run(commands, percent);
    EXPECT_FALSE(bench.fault);
    EXPECT_TRUE(bench.acc == bench.expected);
    EXPECT_EQ(bench.padded, bench.expected_padded);
  }
}

TYPED_TEST(Mxu, RandomConvolutions) { run_random<TypeParam>(0); }
/// As many tiles as the bits of an instruction, and the ring, have room for: none, half or all but the last are
/// skipped.
TYPED_TEST(Mxu, SkippedTiles) {
  using B = TypeParam;
  B bench(systole::test::seed());
  std::vector<Conv> commands;
  int work = 0;
  for (const bool half : {false, true, false, true}) {
    Conv c;
    c.blocks = std::min(136, B::kWeightRows / B::kDimension);
    c.plane_stride = 4;
    c.in_height = c.row_stride = 1;
    c.in_width = c.out_width = B::kDimension + 2;
    c.skip0 = c.skip1 = c.skip2 = c.skip3 = 0xffffffff;
    if (half) {
      for (std::uint32_t* word : {&c.skip0, &c.skip1, &c.skip2, &c.skip3})
        *word = static_cast<std::uint32_t>(bench.rng());
    }
    for (int tile = 0; tile < c.blocks; ++tile) {
      work += tile < c.blocks - 1 && skipped(c, tile) ? 1 : c.out_width;
    }
    bench.reference(c);
    commands.push_back(c);
  }
  Conv beyond;  // the tile that is skipped would begin behind the scratchpad
  beyond.blocks = 2;
  beyond.act_row = B::kScratchRows;
  beyond.plane_stride = static_cast<std::uint16_t>(-B::kScratchRows);
  beyond.in_width = beyond.out_width = 4;
  beyond.skip0 = 1;
  bench.reference(beyond);
  commands.push_back(beyond);
  work += 2 * B::kDimension;
  const int taken = bench.run(commands, 100);
  EXPECT_FALSE(bench.fault);
  EXPECT_TRUE(bench.acc == bench.expected);
  EXPECT_LE(taken, work + 2 * B::kDimension + 14) << "a skipped tile takes more than a cycle";
}

TYPED_TEST(Mxu, RandomConvolutionsOfBlocks) { run_random<TypeParam>(100); }
TYPED_TEST(Mxu, RandomConvolutionsOfBothFormats) { run_random<TypeParam>(50); }

/// The fields of a Conv that a DEPTHWISE has, too.
Depthwise depthwise_of(const Conv& c, int acc_rows) {
  Depthwise d;
  d.accumulate = c.accumulate;
  d.act_row = c.act_row;
  d.weight_row = c.weight_row;
  d.acc_row = c.acc_row;
  d.row_stride = c.row_stride;
  d.plane_stride = c.plane_stride;
  d.blocks = c.acc_row + c.blocks * c.out_height * c.out_width <= acc_rows ? c.blocks : std::uint16_t{1};
  d.in_height = c.in_height;
  d.in_width = c.in_width;
  d.y0 = c.y0;
  d.x0 = c.x0;
  d.out_height = c.out_height;
  d.out_width = c.out_width;
  d.kernel_h = c.kernel_h;
  d.kernel_w = c.kernel_w;
  d.stride_h = c.stride_h;
  d.stride_w = c.stride_w;
  d.pad_value = c.pad_value;
  return d;
}

// Both kinds alternating and in runs, often on the same accumulator rows: sums and retirements keep the order of the
// commands.
TYPED_TEST(Mxu, ConvolutionsOfBothKinds) {
  const auto seed = systole::test::seed();
  for (int percent : {100, 50, 5}) {
    TypeParam bench(seed + static_cast<unsigned>(percent));
    bench.hold_percent = percent == 50 ? 30 : 0;
    std::vector<Instruction> commands;
    Conv c = random_conv(bench);
    for (int i = 0; i < 300; ++i) {
      const Conv p = c;
      c = random_conv(bench);
      if (bench.rng() % 2 == 0 && p.acc_row + c.out_height * c.out_width <= TypeParam::kAccRows) {
        c.acc_row = p.acc_row;
        c.accumulate = 1;
      }
      if (bench.rng() % 2 == 0) {
        c.block_float = bench.rng() % 3 == 0;
        bench.reference(c);
        commands.push_back(c.encode());
      } else {
        if (bench.rng() % 3 == 0) c.kernel_h = c.kernel_w = 1;
        const Depthwise d = depthwise_of(c, TypeParam::kAccRows);
        bench.reference(d);
        commands.push_back(d.encode());
      }
    }
    bench.run(commands, percent);
    EXPECT_FALSE(bench.fault);
    EXPECT_TRUE(bench.acc == bench.expected);
  }
}

TYPED_TEST(Mxu, FewCyclesBetweenTheKinds) {
  TypeParam bench(systole::test::seed());
  Conv c;
  c.kernel_h = c.kernel_w = 3;
  c.in_height = c.in_width = c.out_height = c.row_stride = 6;
  c.out_width = 6;
  c.y0 = c.x0 = -1;
  const Depthwise d = depthwise_of(c, TypeParam::kAccRows);
  std::vector<Instruction> commands;
  for (int i = 0; i < 8; ++i) {
    bench.reference(d);
    commands.push_back(d.encode());
    bench.reference(c);
    commands.push_back(c.encode());
  }
  const int taken = bench.run(commands, 100);
  const int work = 8 * (43 + 9 * 36);
  EXPECT_EQ(bench.working, work);
  // A CONV begins directly after a DEPTHWISE; in the other order the array's sums come first.
  EXPECT_LE(taken, work + 8 * (2 * TypeParam::kDimension + 20));
  EXPECT_TRUE(bench.acc == bench.expected);
}

TYPED_TEST(Mxu, FaultsOfOneKindWaitForTheOther) {
  Conv good;
  good.in_width = good.out_width = good.row_stride = 7;
  Conv bad = good;
  bad.acc_row = TypeParam::kAccRows;
  const Instruction conv = good.encode(), bad_conv = bad.encode();
  const Instruction lanes = depthwise_of(good, TypeParam::kAccRows).encode(),
                    bad_lanes = depthwise_of(bad, TypeParam::kAccRows).encode();
  for (const auto& commands :
       {std::vector<Instruction>{conv, bad_lanes, conv}, std::vector<Instruction>{lanes, bad_conv, lanes},
        std::vector<Instruction>{conv, bad_lanes, lanes}, std::vector<Instruction>{lanes, bad_conv, conv}}) {
    TypeParam bench(systole::test::seed());
    bench.run(commands, 100);
    ASSERT_TRUE(bench.fault);
    EXPECT_EQ(bench.fault->code, static_cast<unsigned>(ErrorCode::kAccRange));
    EXPECT_EQ(bench.fault->address, static_cast<unsigned>(TypeParam::kAccRows));
    EXPECT_EQ(bench.retired, 1u);
  }
}

TYPED_TEST(Mxu, CoordinatesFarOutsideArePadding) {
  TypeParam bench(systole::test::seed());
  Conv c;
  c.y0 = 32767;
  c.x0 = -32768;
  c.out_height = 4;
  c.out_width = 3;
  c.stride_h = c.stride_w = 255;
  c.kernel_h = c.kernel_w = 5;
  c.dilation_h = c.dilation_w = 255;
  c.in_height = c.in_width = 32767;
  c.pad_value = 5;
  bench.reference(c);
  bench.run({c}, 100);
  EXPECT_FALSE(bench.fault);
  EXPECT_TRUE(bench.acc == bench.expected);
}

TYPED_TEST(Mxu, NoBubbleBetweenTilesAndCommands) {
  TypeParam bench(systole::test::seed());
  Conv c;
  c.blocks = 4;
  c.out_width = TypeParam::kDimension;  // the shortest tile that hides its weight load
  c.in_width = c.out_width;
  c.row_stride = c.plane_stride = c.out_width;
  std::vector<Conv> commands(8, c);
  for (const auto& command : commands) bench.reference(command);
  const int taken = bench.run(commands, 100);
  const int work = 8 * 4 * TypeParam::kDimension;
  EXPECT_EQ(bench.working, work);
  EXPECT_LE(taken, work + 2 * TypeParam::kDimension + 14) << "positions were lost between tiles or commands";
  EXPECT_TRUE(bench.acc == bench.expected);
}

/// A tile has a row of exponents more, which costs nothing while there are as many positions.
TYPED_TEST(Mxu, NoBubbleBetweenTilesOfBlocks) {
  TypeParam bench(systole::test::seed());
  Conv c;
  c.block_float = 1;
  c.blocks = 4;
  c.out_width = std::max(TypeParam::kDimension + 1, 8);
  c.in_width = c.row_stride = c.plane_stride = c.out_width;
  std::vector<Conv> commands(8, c);
  for (std::size_t i = 0; i < commands.size(); ++i) commands[i].acc_row = i % 2 == 0 ? 0 : c.out_width;
  for (const auto& command : commands) bench.reference(command);
  const int taken = bench.run(commands, 100);
  const int work = 8 * 4 * TypeParam::kParts * c.out_width;
  EXPECT_EQ(bench.working, work);
  EXPECT_LE(taken, work + 2 * TypeParam::kDimension + 24) << "positions were lost between tiles or commands";
  EXPECT_TRUE(bench.acc == bench.expected);
}

TYPED_TEST(Mxu, FaultsNameTheRowAndWaitForEarlierCommands) {
  auto check = [](auto change, ErrorCode code, std::uint32_t address) {
    TypeParam bench(systole::test::seed());
    Conv good;
    good.out_width = 7;
    good.in_width = 7;
    Conv bad = good;
    bad.acc_row = 7;
    change(bad);
    good.block_float = bad.block_float;
    bench.reference(good);
    bench.run({good, bad, good}, 100);
    ASSERT_TRUE(bench.fault);
    EXPECT_EQ(bench.fault->code, static_cast<unsigned>(code));
    EXPECT_EQ(bench.fault->address, address);
    EXPECT_EQ(bench.retired, 1u);
    EXPECT_TRUE(std::equal(bench.acc.begin(), bench.acc.begin() + 7 * TypeParam::kDimension, bench.expected.begin()));
  };
  constexpr std::uint16_t kAcc = TypeParam::kAccRows, kScratch = TypeParam::kScratchRows;
  check([](Conv& c) { c.acc_row = kAcc - 3; }, ErrorCode::kAccRange, kAcc);
  check([](Conv& c) { c.act_row = kScratch - 2; }, ErrorCode::kScratchRange, kScratch);
  // Tiles 0 and 1 would begin at rows that do not exist. One is skipped.
  check([](Conv& c) { c.act_row = kScratch, c.plane_stride = 1, c.blocks = 3, c.skip0 = 1; }, ErrorCode::kScratchRange,
        kScratch + 1);
  constexpr int kTiles = TypeParam::kWeightRows / TypeParam::kDimension + 1;
  check([](Conv& c) { c.blocks = kTiles; }, ErrorCode::kWeightRange, kTiles * TypeParam::kDimension);
  const auto in_blocks = [&](auto change, ErrorCode code, std::uint32_t address) {
    check([&](Conv& c) { c.block_float = 1, change(c); }, code, address);
  };
  in_blocks([](Conv& c) { c.acc_row = kAcc - 3; }, ErrorCode::kAccRange, kAcc);
  in_blocks([](Conv& c) { c.act_row = kScratch - 2; }, ErrorCode::kScratchRange, kScratch);
  constexpr int kTileRows = TypeParam::kLanes + 1,
                kBlockTiles = TypeParam::kWeightRows / kTileRows / TypeParam::kParts + 1;
  in_blocks([](Conv& c) { c.blocks = kBlockTiles; }, ErrorCode::kWeightRange,
            kBlockTiles * TypeParam::kParts * kTileRows);
}

}  // namespace
