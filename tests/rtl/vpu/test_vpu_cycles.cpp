// SPDX-License-Identifier: Apache-2.0
// Cycles of the vector unit, exactly, and the causes it gives for them.
#include <numeric>

#include "Vvpu_dim16.h"
#include "vpu_bench.hpp"
#include "vpu_programs.hpp"
#include "vpu_sizes.hpp"

namespace {

using systole::isa::Instruction;
using namespace systole::test;
namespace isa = systole::isa;

class VpuCycles : public testing::Test {
 protected:
  VpuCycles() : random_(1), bench_(sizes_of(16), 1) { VectorPrograms(sizes_of(16), random_).fill(bench_.machine); }

  /// Cycles from the first command offered to the last one retired.
  std::uint64_t cycles(const std::vector<Instruction>& program, const Stalls& stalls = {}) {
    bench_.idle(40);
    const std::uint64_t start = bench_.cycles;
    bench_.run(program, stalls);
    EXPECT_FALSE(bench_.fault);
    return bench_.cycles - start;
  }

  /// Cycles that each further output row costs, times 40.
  template <typename Op>
  std::uint64_t forty_rows(Op op) {
    op.out_height = 1;
    op.out_width = 20;
    const std::uint64_t few = cycles({op.encode()});
    op.out_width = 60;
    return cycles({op.encode()}) - few;
  }

  /// Cycles that a further command with one output row costs.
  template <typename Op>
  std::uint64_t per_command(Op op) {
    op.out_height = 1;
    op.out_width = 1;
    const Instruction i = op.encode();
    return cycles({i, i, i}) - cycles({i, i});
  }

  std::uint64_t cause(isa::Cause c) const { return bench_.causes[static_cast<std::size_t>(c)]; }

  std::mt19937_64 random_;
  VectorBench<Vvpu_dim16> bench_;
};

isa::Drain drain() {
  isa::Drain op;
  op.clamp_min = -128;
  op.clamp_max = 127;
  return op;
}

isa::Drain residual() {
  isa::Drain op = drain();
  op.residual = 1;
  op.src2 = 400;
  op.scalars = kScalarRow;
  return op;
}

template <typename Op>
Op element_wise() {
  Op op;
  op.dst = 200;
  op.src2 = 400;
  op.clamp_max = 127;
  op.scalars = kScalarRow;
  return op;
}

template <typename Op>
Op pool(int kernel) {
  Op op;
  op.dst = 400;
  op.in_height = 4;
  op.in_width = 80;
  op.src_stride = 80;
  op.kernel_h = static_cast<std::uint8_t>(kernel);
  op.kernel_w = static_cast<std::uint8_t>(kernel);
  op.clamp_max = 127;
  return op;
}

TEST_F(VpuCycles, RowsPerCycle) {
  EXPECT_EQ(forty_rows(drain()), 40u);
  isa::Drain with_table = drain();
  with_table.table = 1;
  EXPECT_EQ(forty_rows(with_table), 40u);
  EXPECT_EQ(forty_rows(residual()), 160u);
  EXPECT_EQ(forty_rows(element_wise<isa::Add>()), 160u);
  EXPECT_EQ(forty_rows(element_wise<isa::Multiply>()), 80u);
  isa::Map map;
  map.dst = 200;
  EXPECT_EQ(forty_rows(map), 40u);
  isa::Drain32 drain32;
  drain32.plane_stride = 100;
  EXPECT_EQ(forty_rows(drain32), 160u);
  isa::Preload preload;
  preload.plane_stride = 100;
  EXPECT_EQ(forty_rows(preload), 160u);
  for (const int kernel : {1, 2, 3}) {
    const auto taps = static_cast<std::uint64_t>(kernel * kernel);
    EXPECT_EQ(forty_rows(pool<isa::Maxpool>(kernel)), 40 * taps) << kernel;
    isa::Avgpool average = pool<isa::Avgpool>(kernel);
    average.scalars = kScalarRow;
    EXPECT_EQ(forty_rows(average), 40 * taps) << kernel;
  }
}

TEST_F(VpuCycles, PerCommand) {
  EXPECT_EQ(per_command(drain()), 13u);
  EXPECT_EQ(per_command(pool<isa::Maxpool>(1)), 7u);
  EXPECT_EQ(per_command(element_wise<isa::Multiply>()), 13u);
  EXPECT_EQ(per_command(element_wise<isa::Add>()), 20u);
  EXPECT_EQ(per_command(residual()), 26u);
}

TEST_F(VpuCycles, TableTakes64) {
  isa::Table op;
  op.params = kTableRow;
  EXPECT_EQ(cycles({op.encode()}), 67u);
}

TEST_F(VpuCycles, AverageReadsAnEntryOnlyWhenItChanges) {
  // Two columns of padding on the left: windows of three columns miss six, three, then no positions.
  isa::Avgpool op = pool<isa::Avgpool>(3);
  op.scalars = kScalarRow;
  const std::uint64_t inside = cycles({op.encode()});
  op.out_width = 30;
  EXPECT_EQ(cycles({op.encode()}), inside + 29 * 9);
  op.x0 = -2;
  EXPECT_EQ(cycles({op.encode()}), inside + 29 * 9 + 2 * 3);
}

TEST_F(VpuCycles, CausesAddUpAndName) {
  isa::Drain op = drain();
  op.out_width = 64;
  for (const Stalls& stalls : {Stalls{}, Stalls{0, 0, 128, 0, 0}, Stalls{0, 200, 0, 0, 0}}) {
    const std::uint64_t total = cycles({op.encode()}, stalls);
    EXPECT_EQ(std::accumulate(bench_.causes.begin(), bench_.causes.end(), std::uint64_t{0}), total);
    EXPECT_EQ(cause(isa::Cause::kWorking), 64u);
    EXPECT_EQ(cause(isa::Cause::kAccConflict) > 20, stalls.acc_read > 0);
    EXPECT_EQ(cause(isa::Cause::kBackPressure) > 20, stalls.write > 0);
    EXPECT_LE(cause(isa::Cause::kIdle), 3u);
  }
  isa::Map map;
  map.dst = 200;
  map.out_width = 64;
  cycles({map.encode()}, {128, 0, 0, 0, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 64u);
  EXPECT_GT(cause(isa::Cause::kBankConflict), 20u);
  isa::Preload preload;
  preload.plane_stride = 100;
  preload.out_width = 30;
  cycles({preload.encode()}, {0, 0, 0, 230, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 120u);
  EXPECT_GT(cause(isa::Cause::kAccConflict), 20u);
}

}  // namespace
