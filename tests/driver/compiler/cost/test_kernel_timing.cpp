// SPDX-License-Identifier: Apache-2.0
// Cycles of kernels. tests/cosim/cost compares them with the hardware.
#include "kernel_timing.hpp"

#include <gtest/gtest.h>

#include "systole/kernel_sequencer.hpp"
#include "timing.hpp"
#include "whole_configurations.hpp"

namespace systole::compiler {
namespace {

class KernelCycles : public ::testing::TestWithParam<Configuration> {
 protected:
  KernelTiming timing(const std::string& body) const {
    const kernel::Kernel kernel =
        kernel::assemble("kernel k(n, sums, apart)\nvector x\nscalar zero\n" + body + "end\n");
    std::vector<kernel::Word> memory = kernel.words;
    memory.resize(kernel::kMemoryWords);
    isa::Vector op;
    op.arg0 = 3;
    op.arg1 = static_cast<std::uint32_t>(GetParam().acc_rows / 2 - 5);
    op.arg2 = 4;  // no distance of planes that are read together
    return time_kernel(op, GetParam(), memory);
  }
  /// In addition to those of a kernel of one operation.
  std::int64_t more(const std::string& body) const { return timing(body).retires - timing("move x, 1\n").retires; }
};

TEST_P(KernelCycles, OfOneOperation) {
  const KernelTiming one = timing("move x, 1\n");
  EXPECT_EQ(one.begins, 4);
  EXPECT_EQ(one.retires, 4 + 7 + 8 + 2) << "rows, the last one's pipeline, its end";
  EXPECT_EQ(timing("").begins, 4);
  EXPECT_EQ(timing("").retires, 6);
}

TEST_P(KernelCycles, OfOperations) {
  EXPECT_EQ(more("move x, 1\nmove x, 2\n"), 8);
  EXPECT_EQ(more("loop n\n  move x, 1\nend\n"), 2 + 2 * 8) << "a word before the first";
  EXPECT_EQ(more("move x, i8[n]\n"), 0);
  EXPECT_EQ(more("move x, acc[n]\n"), 0);
  EXPECT_EQ(more("move x, i16[n]\n"), 0);
  EXPECT_EQ(more("move x, i32[n]\n"), 0);
  EXPECT_EQ(more("move x, i16[n, 1, apart]\n"), 8);
  EXPECT_EQ(more("move x, i32[n, 1, apart]\n"), 24);
  const int levels = GetParam().dim == 4 ? 2 : GetParam().dim == 8 ? 3 : GetParam().dim == 16 ? 4 : 5;
  EXPECT_EQ(more("sum_lanes x, x\n"), 8 * (levels - 1));
}

TEST_P(KernelCycles, OfFewerRows) {
  EXPECT_EQ(more("rows n\nmove x, 1\nmove x, 2\n"), 2 + 8 - 5) << "the last row is issued five cycles earlier";
  EXPECT_EQ(more("rows n\nmove x, i16[n, 1, apart]\nmove x, 2\n"), 2 + 8 + 3 - 5);
  EXPECT_EQ(timing("rows zero\nmove x, 1\n").retires, timing("").retires + 2 * 2) << "no row: only the words";
}

TEST_P(KernelCycles, OfWords) {
  const std::string scalars = "add n, n, 1\nadd n, n, 1\nadd n, n, 1\n";
  EXPECT_EQ(more("move x, 1\n" + scalars + "move x, 2\n"), 8) << "beside the rows";
  EXPECT_EQ(more("move x, 1\n" + scalars + scalars + "move x, 2\n"), 8 + 2 * (6 - 3));
}

TEST_P(KernelCycles, OfStores) {
  const std::int64_t stored = more("move i8[n], x\n");
  EXPECT_EQ(stored, 2) << "a register is written two cycles earlier";
  EXPECT_EQ(more("move i16[n], x\n"), stored);
  EXPECT_EQ(more("move i32[n], x\n"), stored);
  EXPECT_EQ(more("move i16[n, 1, apart], x\n"), stored + 8);
  EXPECT_EQ(more("move i32[n, 1, apart], x\n"), stored + 24);
  EXPECT_EQ(more("move i8[n], x\nmove i8[n], x\n"), stored + 8);
  const std::string words = "move i32[n, 1, apart], x\n";
  EXPECT_EQ(more(words + words), stored + 24 + 32) << "an access a cycle";
  std::string registers;
  for (int i = 0; i < 8; ++i) {
    registers += "move x, 1\n";
  }
  EXPECT_EQ(more(words + words + registers), 8 + 8 * 8) << "room for sixteen rows";
  EXPECT_EQ(more(words + words + words + registers), 34 + 8 * 8) << "the third one ends when the first is written";
}

TEST_P(KernelCycles, OfLoadsBehindStores) {
  const std::string words = "move i32[n, 1, apart], x\n";
  EXPECT_EQ(more("move i8[n], x\nmove x, i8[n]\n"), 18);
  EXPECT_EQ(more("move i16[n, 1, apart], x\nmove x, i8[n]\n"), 26);
  EXPECT_EQ(more(words + "move x, i8[n]\n"), 42);
  EXPECT_EQ(more(words + "move x, 1\nmove x, 1\nmove x, 1\nmove x, 1\nmove x, i8[n]\n"), 42) << "beside them";
  EXPECT_EQ(more("move i8[n], x\nmove x, i8[sums]\n"), 8) << "other rows";
  EXPECT_EQ(more("move i8[n], x\nmove x, acc[n]\n"), 8) << "another memory";
  EXPECT_EQ(more("move acc[n], x\nmove x, acc[n]\n"), 18);
  EXPECT_EQ(more("move i8[n], x\nadd n, n, 8\nmove x, i8[n]\n"), 8) << "the next rows";
  EXPECT_EQ(more("move i32[n], x\nadd n, n, 8\nmove x, i8[n]\n"), 18) << "a plane of them";
  const std::string exponents = "add n, zero, " + std::to_string(GetParam().scratch_rows) + "\n";
  EXPECT_EQ(more(exponents + "move i8[n], x\nmove x, i8[sums]\n") + 10,
            more(exponents + "move i8[n], x\nmove x, blocks[sums]\n"));
}

TEST_P(KernelCycles, CountWhatTheyReadAndWrite) {
  const PortUse ports = timing(
                            "move x, acc[sums]\nmove x, acc[n, zero]\nmove acc[sums, zero], x\nrows n\n"
                            "move acc[n, zero], x\nmove x, i16[n]\nmove i8[n], x\n")
                            .ports;
  EXPECT_EQ(ports[PortUse::kAccRead] + ports[PortUse::kAccRead + 1], 1 + 8) << "rows one after the other count once";
  EXPECT_EQ(ports[PortUse::kAccWrite] + ports[PortUse::kAccWrite + 1], 8 + 3);
  EXPECT_EQ(ports[PortUse::kScratchRead], 3) << "planes that are read together";
  EXPECT_EQ(timing("rows n\nmove x, i16[n, 1, apart]\n").ports[PortUse::kScratchRead], 2 * 3);
}

TEST_P(KernelCycles, AreThoseOfTheCommand) {
  std::vector<kernel::Word> memory = kernel::assemble("kernel k(n)\nvector x\nmove x, 1\nmove i8[n], x\nend\n").words;
  memory.resize(kernel::kMemoryWords);
  const Work work = work_of(isa::Vector{}.encode(), GetParam(), &memory);
  const KernelTiming timing = time_kernel({}, GetParam(), memory);
  const Timeline alone = estimate({{work}}, GetParam(), {});
  EXPECT_EQ(alone.commit.at(0) - alone.issue.at(0), timing.retires);
}

INSTANTIATE_TEST_SUITE_P(All, KernelCycles, ::testing::ValuesIn(test::whole_configurations()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systole::compiler
