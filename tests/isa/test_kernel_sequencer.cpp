// SPDX-License-Identifier: Apache-2.0
// The sequencer of kernels: which vector operations it hands out, with which rows, addresses and values.
#include <gtest/gtest.h>

#include <optional>

#include "systole/kernel_sequencer.hpp"

namespace systole::kernel {
namespace {

std::vector<Word> memory_with(const std::string& text, std::uint32_t entry) {
  std::vector<Word> memory(kMemoryWords);
  const Kernel kernel = assemble(text);
  std::copy(kernel.words.begin(), kernel.words.end(), memory.begin() + entry);
  return memory;
}

TEST(KernelSequencer, ResolvesOperands) {
  const std::vector<Word> memory = memory_with(
      "kernel test(first, stride, plane, value)\n"
      "vector x\n"
      "move x, i32[first, stride, plane]\n"
      "iadd acc[first], value, -7\n"
      "max x, x, x\n"
      "end\n",
      10);
  Sequencer sequencer(memory, 10, {100, 3, 1000, 42});
  const VectorStep* step = sequencer.next();
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->at, 10U);
  EXPECT_EQ(step->info->op, Op::kMove);
  EXPECT_EQ(step->rows, kStripRows);
  EXPECT_TRUE(step->has_memory);
  EXPECT_FALSE(step->memory.store);
  EXPECT_EQ(step->memory.format, Format::kI32);
  EXPECT_EQ(step->memory.planes(), 4);
  EXPECT_EQ(step->memory.row(0), 100);
  EXPECT_EQ(step->memory.row(7, 3), 100 + 7 * 3 + 3 * 1000);
  step = sequencer.next();
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->info->op, Op::kIadd);
  EXPECT_TRUE(step->memory.store);
  EXPECT_EQ(step->memory.planes(), 1);
  EXPECT_EQ(step->memory.row(5), 105);
  EXPECT_EQ(step->a, 42U);
  EXPECT_EQ(step->b, static_cast<std::uint32_t>(-7));
  step = sequencer.next();
  ASSERT_NE(step, nullptr);
  EXPECT_FALSE(step->has_memory);
  EXPECT_EQ(sequencer.next(), nullptr);
}

TEST(KernelSequencer, RowAddressesHave16Bits) {
  const std::vector<Word> memory = memory_with("kernel test(first)\nmove i8[first], 0\nend\n", 0);
  Sequencer sequencer(memory, 0, {0x1fffe});
  const VectorStep* step = sequencer.next();
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->memory.row(1), 0xffff);
  EXPECT_EQ(step->memory.row(2), 0);
}

TEST(KernelSequencer, HandsOutTheStripsOfALoop) {
  const std::vector<Word> memory = memory_with(
      "kernel test(at, rows, strips, planes, plane)\n"
      "scalar from\n"
      "loop strips\n"
      "  rows rows\n"
      "  add from, at, 0\n"
      "  loop planes\n"
      "    move i8[from], 0\n"
      "    add from, from, plane\n"
      "  end\n"
      "  add at, at, 8\n"
      "  sub rows, rows, 8\n"
      "end\n"
      "end\n",
      0);
  Sequencer sequencer(memory, 0, {5, 19, 3, 2, 40});
  std::vector<std::pair<int, int>> strips;  // rows, first row
  while (const VectorStep* step = sequencer.next()) {
    strips.emplace_back(step->rows, step->memory.row(0));
  }
  EXPECT_EQ(strips, (std::vector<std::pair<int, int>>{{8, 5}, {8, 45}, {8, 13}, {8, 53}, {3, 21}, {3, 61}}));
}

/// The word at which a kernel of `text`, placed at word 10, cannot go on.
std::optional<std::uint32_t> fault_of(const std::string& text, const Arguments& arguments) {
  const std::vector<Word> memory = memory_with(text, 10);
  Sequencer sequencer(memory, 10, arguments);
  try {
    for (const VectorStep* step = sequencer.next(); step != nullptr;) {
      step = sequencer.next();
    }
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.word, sequencer.last());
    return fault.word;
  }
  return std::nullopt;
}

TEST(KernelSequencer, WorkIsBounded) {
  const std::string text =
      "kernel test(outer, inner)\n"
      "loop outer\n"
      "  loop inner\n"
      "    rows outer\n"
      "  end\n"
      "end\n"
      "end\n";
  // 1 + 1023 * (1 + 1023) words and the end are 2^20 - 1022.
  static_assert(kWorkLog2 == 20);
  EXPECT_EQ(fault_of(text, {1023, 1023}), std::nullopt);
  EXPECT_EQ(fault_of(text, {1, (1 << 20) - 3}), std::nullopt);
  EXPECT_EQ(fault_of(text, {1, (1 << 20) - 2}), 13U) << "the end is one too many";
  EXPECT_EQ(fault_of(text, {1, 1 << 20}), 12U);
  EXPECT_EQ(fault_of(text, {1 << 20, 0}), 11U) << "a loop that runs never is a word itself";
}

TEST(KernelSequencer, KnowsHowFarAKernelReaches) {
  const std::vector<Word> memory = memory_with("kernel test(often)\nloop often\n  rows often\nend\nend\n", 10);
  Sequencer sequencer(memory, 10, {3});
  EXPECT_EQ(sequencer.last(), 10U);
  EXPECT_EQ(sequencer.next(), nullptr);
  EXPECT_EQ(sequencer.last(), 12U);
}

TEST(KernelSequencer, TakesTheArgumentsOfAnInstruction) {
  isa::Vector op;
  op.arg0 = 7;
  op.arg5 = 8;
  op.arg11 = 0xffffffff;
  EXPECT_EQ(arguments_of(op), (Arguments{7, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0xffffffff}));
}

}  // namespace
}  // namespace systole::kernel
