// SPDX-License-Identifier: Apache-2.0
// The footprint against the accesses that the functional model reports for the same instruction.
#include "row_footprint.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <tuple>

#include "seed.hpp"
#include "systole/accesses.hpp"
#include "systole/disassemble.hpp"
#include "systole/kernel_sequencer.hpp"
#include "timing.hpp"
#include "whole_configurations.hpp"

namespace systole::compiler {
namespace {

using Place = std::tuple<int, std::uint64_t, bool>;  // memory, row or byte, write

class Reported final : public AccessVisitor {
 public:
  void rows(Memory memory, std::uint32_t first, std::uint32_t count, bool write) override {
    for (std::uint32_t i = 0; i < count; ++i) {
      places.insert({static_cast<int>(memory), first + i, write});
    }
  }
  void bytes(int, std::uint32_t offset, std::uint64_t count, bool write) override {
    for (std::uint64_t i = 0; i < count; ++i) {
      places.insert({static_cast<int>(Memory::kDevice), offset + i, write});
    }
  }
  std::set<Place> places;
};

using KernelMemory = std::vector<kernel::Word>;

std::set<Place> reported(const isa::Instruction& instruction, const Configuration& configuration,
                         const KernelMemory* kernels) {
  Reported visitor;
  visit_accesses(instruction, configuration, visitor, kernels);
  return visitor.places;
}

std::set<Place> derived(const isa::Instruction& instruction, const Configuration& configuration,
                        const KernelMemory* kernels) {
  std::set<Place> places;
  for (const Span& span : footprint(instruction, configuration, kernels)) {
    for (std::uint64_t i = span.begin; i < span.end; ++i) {
      places.insert({static_cast<int>(span.memory), i, span.is_write});
    }
  }
  return places;
}

/// Every access that the model reports is derived; with `exact` there is nothing else.
void expect_covers(const isa::Instruction& instruction, const Configuration& configuration, bool exact,
                   const KernelMemory* kernels = nullptr) {
  const auto expected = reported(instruction, configuration, kernels);
  const auto actual = derived(instruction, configuration, kernels);
  for (const Place& place : expected) {
    ASSERT_EQ(actual.count(place), 1u) << "memory " << std::get<0>(place) << " place " << std::get<1>(place) << ": "
                                       << isa::disassemble(instruction);
  }
  if (exact) {
    EXPECT_EQ(actual.size(), expected.size()) << isa::disassemble(instruction);
  }
}

class Footprint : public ::testing::TestWithParam<Configuration> {
 protected:
  int range(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::uint16_t u16(int low, int high) { return static_cast<std::uint16_t>(range(low, high)); }
  std::uint8_t u8(int low, int high) { return static_cast<std::uint8_t>(range(low, high)); }
  std::mt19937_64 random_{test::seed()};
  const Configuration& c_ = GetParam();
};

TEST_P(Footprint, OfLoad) {
  for (int i = 0; i < 200; ++i) {
    isa::Load op;
    op.src = static_cast<std::uint32_t>(range(100000, 200000));
    op.run_bytes = static_cast<std::uint32_t>(range(1, 300));
    op.space = u8(0, 3);
    op.pieces = u16(1, 5);
    op.slot_bytes = u16(1, 3 * c_.dim);
    op.piece_bytes = u16(0, op.slot_bytes);
    op.piece_step = op.piece_bytes;
    op.lane = u8(0, c_.dim - 1);
    op.count0 = u16(1, 4);
    op.count1 = u16(1, 3);
    op.valid_from = u16(0, op.count0);
    op.valid_to = u16(op.valid_from, op.count0);
    op.src_stride0 = range(-400, 400);
    op.src_stride1 = range(-2000, 2000);
    op.dst = u16(0, 20);
    op.dst_piece = u16(0, 3);
    op.dst_block = u16(0, 12);
    op.dst_stride0 = u16(0, 10);
    op.dst_stride1 = u16(0, 40);
    expect_covers(op.encode(), c_, true);
  }
}

TEST_P(Footprint, OfStore) {
  for (int i = 0; i < 200; ++i) {
    isa::Store op;
    op.dst = static_cast<std::uint32_t>(range(100000, 200000));
    op.pieces = u16(1, 5);
    op.piece_bytes = u16(1, 3 * c_.dim);
    op.count0 = u16(1, 4);
    op.count1 = u16(1, 3);
    op.dst_stride0 = range(-400, 400);
    op.dst_stride1 = range(-2000, 2000);
    op.src = u16(0, 20);
    op.src_piece = u16(0, 4);
    op.src_block = u16(0, 12);
    op.src_stride0 = u16(0, 10);
    op.src_stride1 = u16(0, 40);
    expect_covers(op.encode(), c_, true);
  }
}

TEST_P(Footprint, OfConv) {
  for (int i = 0; i < 200; ++i) {
    isa::Conv op;
    op.accumulate = u8(0, 1);
    op.act_row = u16(0, 50);
    op.in_height = u16(1, 6);
    op.in_width = u16(1, 6);
    op.row_stride = u16(op.in_width, 8);
    op.plane_stride = u16(60, 80);
    op.blocks = u16(1, 2);
    op.kernel_h = u8(1, 3);
    op.kernel_w = u8(1, 3);
    op.weight_row = u16(0, c_.weight_rows - 1);
    op.y0 = static_cast<std::int16_t>(range(-4, 6));
    op.x0 = static_cast<std::int16_t>(range(-4, 6));
    op.out_height = u16(1, 4);
    op.out_width = u16(1, 4);
    op.acc_row = u16(0, c_.acc_rows - 16);
    op.stride_h = u8(1, 3);
    op.stride_w = 1;
    op.dilation_h = u8(1, 3);
    op.dilation_w = 1;
    expect_covers(op.encode(), c_, true);
    op.stride_w = u8(1, 3);
    op.dilation_w = u8(1, 3);
    expect_covers(op.encode(), c_, false);  // columns between the taps count as read
  }
}

TEST_P(Footprint, OfDepthwise) {
  for (int i = 0; i < 200; ++i) {
    isa::Depthwise op;
    op.accumulate = u8(0, 1);
    op.act_row = u16(0, 50);
    op.in_height = u16(1, 6);
    op.in_width = u16(1, 6);
    op.row_stride = u16(op.in_width, 8);
    op.plane_stride = u16(60, 80);
    op.blocks = u16(1, 2);
    op.kernel_h = u8(1, 3);
    op.kernel_w = u8(1, 3);
    op.weight_row = u16(0, c_.weight_rows - 1);
    op.y0 = static_cast<std::int16_t>(range(-4, 6));
    op.x0 = static_cast<std::int16_t>(range(-4, 6));
    op.out_height = u16(1, 4);
    op.out_width = u16(1, 4);
    op.acc_row = u16(0, c_.acc_rows - 32);
    op.stride_h = u8(1, 4);
    op.stride_w = u8(1, 4);
    expect_covers(op.encode(), c_, true);
  }
}

TEST_P(Footprint, OfVectorInstructions) {
  for (int i = 0; i < 100; ++i) {
    const std::uint16_t height = u16(1, 3);
    const std::uint16_t width = u16(1, 4);
    const auto strided = [&](auto op) {
      op.src = u16(0, 30);
      op.dst = u16(100, 130);
      op.dst_stride = u16(width, 9);
      op.out_height = height;
      op.out_width = width;
      return op;
    };
    isa::Drain drain = strided(isa::Drain{});
    drain.residual = u8(0, 1);
    drain.src2 = 200;
    drain.src2_stride = width;
    drain.params = u16(0, 100);
    drain.scalars = u16(120, 200);
    expect_covers(drain.encode(), c_, true);
    isa::Drain32 drain32 = strided(isa::Drain32{});
    drain32.plane_stride = u16(30, 40);
    expect_covers(drain32.encode(), c_, true);
    isa::Preload preload;
    preload.src = u16(0, 30);
    preload.dst = u16(0, 20);
    preload.src_stride = u16(0, 6);
    preload.out_height = height;
    preload.out_width = width;
    preload.plane_stride = u16(1, 40);
    expect_covers(preload.encode(), c_, true);
    isa::Maxpool pool = strided(isa::Maxpool{});
    pool.in_height = pool.in_width = 5;
    pool.src_stride = 5;
    pool.y0 = pool.x0 = static_cast<std::int16_t>(range(-2, 1));
    pool.kernel_h = u8(1, 3);
    pool.kernel_w = u8(1, 3);
    pool.stride_h = u8(1, 2);
    expect_covers(pool.encode(), c_, true);
    isa::Avgpool average = strided(isa::Avgpool{});
    average.in_height = average.in_width = 5;
    average.src_stride = 5;
    average.kernel_h = average.kernel_w = 2;
    expect_covers(average.encode(), c_, false);  // every reciprocal counts as read
    isa::Add add = strided(isa::Add{});
    add.src_stride = add.src2_stride = width;
    add.src2 = 60;
    expect_covers(add.encode(), c_, true);
    isa::Multiply multiply = strided(isa::Multiply{});
    multiply.src_stride = multiply.src2_stride = width;
    multiply.src2 = 60;
    expect_covers(multiply.encode(), c_, true);
    isa::Map map = strided(isa::Map{});
    map.src_stride = width;
    expect_covers(map.encode(), c_, true);
  }
  isa::Table table;
  expect_covers(table.encode(), c_, true);
  table.words = 1;
  expect_covers(table.encode(), c_, true);
}

/// A kernel at word `entry`; what is around it is not known.
KernelMemory memory_with(const std::string& text, std::uint16_t entry) {
  KernelMemory memory(kernel::kMemoryWords, kernel::kUnknownWord);
  const auto words = kernel::assemble(text).words;
  std::copy(words.begin(), words.end(), memory.begin() + entry);
  return memory;
}

TEST_P(Footprint, OfKernels) {
  for (int i = 0; i < 50; ++i) {
    isa::Vector op;
    op.entry = u16(0, 1000);
    op.arg0 = u16(0, 60);
    op.arg1 = u16(80, 100);
    op.arg2 = u16(0, 3);
    op.arg3 = u16(1, 9);
    op.arg4 = u16(0, 20);
    const KernelMemory memory = memory_with(
        "kernel k(src, dst, often, stride, rows)\n"
        "vector x\n"
        "loop often\n"
        "  rows rows\n"
        "  move x, i16[src, stride, stride]\n"
        "  move acc[stride, 1], x\n"
        "  iadd x, x, acc[stride, stride]\n"
        "  iadd i8[dst], x, 1\n"
        "  add dst, dst, stride\n"
        "  sub rows, rows, 8\n"
        "end\n"
        "end\n",
        op.entry);
    expect_covers(op.encode(), c_, true, &memory);
    expect_covers(op.encode(), c_, true);
    op.entry = static_cast<std::uint16_t>(op.entry + 9);  // behind its end, where nothing is known
    expect_covers(op.encode(), c_, true, &memory);
  }
}

TEST_P(Footprint, OfKernelsThatFail) {
  const KernelMemory memory = memory_with("kernel k(a)\nvector x\nmove x, 1\nend\n", 1022);
  isa::Vector op;
  op.entry = 1024;
  EXPECT_THROW(footprint(op.encode(), c_, &memory), kernel::KernelFault);
  EXPECT_THROW(work_of(op.encode(), c_, &memory), kernel::KernelFault);
}

TEST(FootprintRows, OfOtherImageRowsDoNotMeet) {
  // Output row 0 of a 3x3 kernel needs input rows 0 and 1; loading row 2 must not wait for it.
  isa::Conv conv;
  conv.in_height = conv.in_width = 8;
  conv.row_stride = 8;
  conv.kernel_h = conv.kernel_w = 3;
  conv.y0 = conv.x0 = -1;
  conv.out_width = 8;
  for (const Span& span : footprint(conv.encode(), kConfigurations[2])) {
    if (span.memory == Memory::kScratchpad) {
      EXPECT_LE(span.end, 16u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Configurations, Footprint, ::testing::ValuesIn(test::whole_configurations()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace systole::compiler
