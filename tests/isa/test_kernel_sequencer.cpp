// SPDX-License-Identifier: Apache-2.0
// The sequencer of kernels: which vector operations it hands out, with which rows, addresses and values.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace systole::kernel
