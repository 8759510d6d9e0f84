// SPDX-License-Identifier: Apache-2.0
// Cycles of the vector unit, exactly, the causes it gives for them, and the order in which commands retire.
#include <numeric>

#include "Vvpu_dim16.h"
#include "vpu_bench.hpp"
#include "vpu_programs.hpp"
#include "vpu_sizes.hpp"

namespace {

using systole::isa::Instruction;
using namespace systole::test;
namespace isa = systole::isa;
namespace kernel = systole::kernel;

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

  /// A VECTOR that runs the statements, with its kernel in the kernel memory.
  Instruction vector(const std::string& statements, std::uint32_t base = 0, std::uint32_t other = 100) {
    const kernel::Kernel kernel = kernel::assemble("kernel test(base, other)\nvector x, y\n" + statements + "\nend\n");
    std::copy(kernel.words.begin(), kernel.words.end(), bench_.machine.kernels.begin() + 20);
    RandomKernel command;
    command.entry = 20;
    command.arguments[0] = base;
    command.arguments[1] = other;
    return VectorPrograms::vector(command);
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
  EXPECT_EQ(per_command(element_wise<isa::Multiply>()), 20u);
  EXPECT_EQ(per_command(element_wise<isa::Add>()), 20u);
  EXPECT_EQ(per_command(residual()), 26u);
}

TEST_F(VpuCycles, TableTakes64) {
  isa::Table op;
  op.params = kTableRow;
  EXPECT_EQ(cycles({op.encode()}), 67u);
  op.words = 1;
  EXPECT_EQ(cycles({op.encode()}), 67u + 192);
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
  for (const Stalls& stalls : {Stalls{}, Stalls{0, 128, 0, 0}}) {
    const std::uint64_t total = cycles({op.encode()}, stalls);
    EXPECT_EQ(std::accumulate(bench_.causes.begin(), bench_.causes.end(), std::uint64_t{0}), total);
    EXPECT_EQ(cause(isa::Cause::kWorking), 64u);
    EXPECT_EQ(cause(isa::Cause::kAccConflict) > 20, stalls.acc_read > 0);
    EXPECT_LE(cause(isa::Cause::kIdle), 3u);
  }
  isa::Map map;
  map.dst = 200;
  map.out_width = 64;
  cycles({map.encode()}, {128, 0, 0, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 64u);
  EXPECT_GT(cause(isa::Cause::kBankConflict), 20u);
  isa::Preload preload;
  preload.plane_stride = 100;
  preload.out_width = 30;
  cycles({preload.encode()}, {0, 0, 230, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 120u);
  EXPECT_GT(cause(isa::Cause::kAccConflict), 20u);
}

TEST_F(VpuCycles, CausesOfAVectorAddUp) {
  struct Case {
    const char* statements;
    std::uint64_t slots;  // cycles of the operations' slots
  };
  for (const Case& c : {Case{"", 0},
                        {"iadd x, x, y", 8},
                        {"iadd x, x, y\nfmul y, x, y\ntable x, y", 24},
                        {"iadd x, i8[base], y", 8},
                        {"iadd x, i16[base], y", 8},
                        {"iadd x, i32[base], y", 8},
                        {"set other, 4\niadd x, i16[base, 1, other], y", 16},
                        {"set other, 2\niadd x, i32[base, 1, other], y", 32},
                        {"iadd x, acc[base], y", 8},
                        {"sum_lanes x, y", 32},
                        {"iadd i8[other], x, y", 8},
                        {"rows base\niadd x, x, y", 0},
                        {"set base, 3\nrows base\niadd x, i16[base], y", 8},
                        {"set other, 4\nrows other\niadd x, i16[base, 1, other], y", 12}}) {
    SCOPED_TRACE(c.statements);
    const Instruction i = vector(c.statements);
    const std::uint64_t total = cycles({i});
    EXPECT_EQ(std::accumulate(bench_.causes.begin(), bench_.causes.end(), std::uint64_t{0}), total);
    EXPECT_EQ(cause(isa::Cause::kWorking), c.slots);
    EXPECT_LE(cause(isa::Cause::kIdle), 3u);
    EXPECT_EQ(cause(isa::Cause::kWorking) + cause(isa::Cause::kOperandWait) + cause(isa::Cause::kIdle), total);
  }
}

TEST_F(VpuCycles, CausesOfAVectorName) {
  const auto run = [&](const char* statements, const Stalls& stalls) {
    const std::uint64_t total = cycles({vector(statements)}, stalls);
    EXPECT_EQ(std::accumulate(bench_.causes.begin(), bench_.causes.end(), std::uint64_t{0}), total);
  };
  run("iadd x, i32[base], y", {230, 0, 0, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 8u);
  EXPECT_GT(cause(isa::Cause::kBankConflict), 20u);
  run("iadd x, acc[base], y", {0, 230, 0, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 8u);
  EXPECT_GT(cause(isa::Cause::kAccConflict), 20u);
  // A load waits for the stores before it, and those for their port or for nobody.
  run("move i32[other], y\niadd x, i8[base], y", {});
  const std::uint64_t others = cause(isa::Cause::kOperandWait);
  run("move i32[other], y\niadd x, i8[other], y", {});
  EXPECT_EQ(cause(isa::Cause::kWorking), 16u);
  EXPECT_EQ(cause(isa::Cause::kOperandWait), others + 10);
  EXPECT_EQ(cause(isa::Cause::kBankConflict), 0u);
  // Rows of which four planes are written one after the other come too fast.
  run("set other, 2\nmove i32[base, 1, other], y\nmove i32[base, 1, other], y\nmove i32[base, 1, other], y", {});
  EXPECT_EQ(cause(isa::Cause::kWorking), 24u);
  EXPECT_GT(cause(isa::Cause::kBackPressure), 10u);
  run("move acc[base], y\niadd x, acc[base], y", {0, 0, 230, 0});
  EXPECT_EQ(cause(isa::Cause::kWorking), 16u);
  EXPECT_GT(cause(isa::Cause::kAccConflict), 20u);
}

TEST_F(VpuCycles, VectorWaitsForTheRowsOfTheCommandBeforeIt) {
  isa::Drain op = drain();
  op.dst = 100;
  op.out_width = 8;
  const Instruction alone = op.encode();
  const Instruction copy = vector("move x, i8[other]\nmove i8[base], x");
  const std::uint64_t apart = cycles({alone}) + cycles({copy});
  VectorMachine expected = bench_.machine;
  expected.run(alone);
  expected.run(copy);
  const std::uint64_t together = cycles({alone, copy});
  EXPECT_EQ(bench_.machine.scratch, expected.scratch);
  // The kernel's first words are read while the rows are written.
  EXPECT_EQ(together, apart - 5);
}

TEST_F(VpuCycles, CommandsRetireInOrderBehindTheirRows) {
  isa::Map before, after;
  before.src = 500;
  before.dst = 100;
  before.out_width = 8;
  before.clamp_min = -128;
  before.clamp_max = 127;
  after = before;
  after.src = 200;
  after.dst = 300;
  const Instruction between = vector("move x, i8[other]\nmove i8[base], x", 200, 100);
  for (const Stalls& stalls : {Stalls{}, Stalls{200, 0, 0, 0}, Stalls{0, 0, 0, 230}}) {
    const std::uint64_t start = bench_.cycles;
    cycles({before.encode(), between, after.encode()}, stalls);
    ASSERT_EQ(bench_.retired_at.size(), 3u);
    std::uint64_t earlier = start;
    for (std::size_t command = 0; command < 3; ++command) {
      for (std::size_t row = 0; row < 8; ++row) {
        EXPECT_GT(bench_.written_at[100 * (command + 1) + row], earlier);
        EXPECT_LT(bench_.written_at[100 * (command + 1) + row], bench_.retired_at[command]);
      }
      earlier = bench_.retired_at[command];
    }
    EXPECT_EQ(std::vector<std::int8_t>(&bench_.machine.scratch[300 * 16], &bench_.machine.scratch[308 * 16]),
              std::vector<std::int8_t>(&bench_.machine.scratch[500 * 16], &bench_.machine.scratch[508 * 16]));
  }
}

TEST_F(VpuCycles, AVectorWithoutRowsRetiresInOrder) {
  isa::Map map;
  map.dst = 100;
  map.out_width = 8;
  const Instruction nothing = vector("");
  for (const Stalls& stalls : {Stalls{}, Stalls{100, 0, 0, 0}, Stalls{230, 0, 0, 0}}) {
    cycles({map.encode(), nothing, nothing}, stalls);
    ASSERT_EQ(bench_.retired_at.size(), 3u);
    EXPECT_EQ(bench_.retired_at[0], bench_.written_at[107] + 1);
    EXPECT_GT(bench_.retired_at[1], bench_.retired_at[0]);
    EXPECT_GT(bench_.retired_at[2], bench_.retired_at[1]);
  }
}

}  // namespace
