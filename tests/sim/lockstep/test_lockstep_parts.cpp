// SPDX-License-Identifier: Apache-2.0
// The command stream, footprints, and the model's view of device memory.
#include <gtest/gtest.h>

#include "command_footprint.hpp"
#include "command_stream.hpp"
#include "expected_memory.hpp"
#include "handwritten_program.hpp"
#include "systole/generated/registers.hpp"

namespace systole::lockstep {
namespace {

using test::load_row;
using test::map_row;

class Stream : public testing::Test {
 protected:
  Stream() {
    stream.set_ring_base(0x1000);
    stream.set_ring_config(2 << reg::kRingConfigLog2EntriesLsb | 1 << reg::kRingConfigWindowLsb);  // four entries
    windows[1].base = 0x400;
  }
  void put(std::uint64_t address, const isa::Instruction& instruction) {
    memory.write(address, instruction.words.data(), 64);
  }
  void entry(std::uint32_t slot, const isa::Instruction& instruction) { put(0x1400 + 64 * slot, instruction); }

  model::SparseMemory memory{1 << 20};
  AddressWindows windows = test::open_windows();
  CommandStream stream{kConfigurations[0]};
};

TEST_F(Stream, FollowsTheRingAroundItsEnd) {
  for (std::uint32_t slot = 0; slot < 3; ++slot)
    entry(slot, load_row(isa::Space::kScratch, static_cast<int>(slot)).encode());
  stream.doorbell(3, windows, memory);
  entry(3, map_row(3, 4).encode());
  entry(0, map_row(4, 5).encode());
  isa::End end;
  end.tag = 9;
  entry(1, end.encode());
  stream.doorbell(6, windows, memory);
  EXPECT_EQ(stream.waiting(0), (std::deque<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(stream.waiting(2), (std::deque<std::uint32_t>{3, 4}));
  EXPECT_EQ(stream.last_tag(), 9u);
  EXPECT_EQ(stream.last(), 5u);
  EXPECT_EQ(*stream.find(4), map_row(4, 5).encode());
  EXPECT_EQ(stream.find(6), nullptr);
  stream.remove_retired();
  EXPECT_EQ(stream.find(4), nullptr);
  entry(2, map_row(8, 9).encode());
  stream.doorbell(7, windows, memory);
  EXPECT_EQ(*stream.find(6), map_row(8, 9).encode());
}

TEST_F(Stream, FollowsJumps) {
  isa::Jump jump;
  jump.target = 0x2000;
  jump.count = 2;
  jump.window = 1;
  entry(0, jump.encode());
  entry(1, map_row(1, 2).encode());
  put(0x2400, load_row(isa::Space::kScratch, 1).encode());
  put(0x2440, load_row(isa::Space::kScratch, 2).encode());
  stream.doorbell(2, windows, memory);
  EXPECT_EQ(stream.waiting(0), (std::deque<std::uint32_t>{1, 2}));
  EXPECT_EQ(stream.waiting(2), (std::deque<std::uint32_t>{3}));
}

TEST_F(Stream, EndsWhereTheCoreStops) {
  isa::Instruction illegal;
  illegal.words[0] = 0xFE;
  entry(0, map_row(1, 2).encode());
  entry(1, illegal);
  entry(2, map_row(1, 2).encode());
  stream.doorbell(3, windows, memory);
  stream.doorbell(4, windows, memory);
  EXPECT_EQ(stream.last(), 0u);
  stream.reset();
  windows[1].permission = isa::kPermissionRead;  // not to be fetched
  stream.doorbell(1, windows, memory);
  EXPECT_TRUE(stream.waiting(2).empty());
  stream.reset();
  windows[1].permission = isa::kPermissionExecute;
  stream.doorbell(5, windows, memory);  // five entries in a ring of four
  EXPECT_TRUE(stream.waiting(2).empty());
}

TEST_F(Stream, EndsAtAJumpInAJump) {
  isa::Jump jump;
  jump.target = 0x2000;
  jump.window = 1;
  entry(0, jump.encode());
  put(0x2400, jump.encode());
  entry(1, map_row(1, 2).encode());
  stream.doorbell(2, windows, memory);
  EXPECT_EQ(stream.last(), 0u);
}

TEST(Footprint, IsSortedAndClipped) {
  isa::Drain32 op;
  op.out_width = 3;
  op.dst = 765;  // rows 765 to 770 of 768, and 5 to 7 in planes
  op.plane_stride = 65536 - 760;
  const Footprint f = footprint_of(op.encode(), kConfigurations[0], test::open_windows());
  EXPECT_TRUE(f.writes(Memory::kScratchpad));
  EXPECT_FALSE(f.writes(Memory::kAccumulators));
  EXPECT_TRUE(f.writes(Memory::kScratchpad, 767));
  EXPECT_TRUE(f.writes(Memory::kScratchpad, 5));
  EXPECT_FALSE(f.writes(Memory::kScratchpad, 8));
  ASSERT_EQ(f.rows.size(), 2u);
  EXPECT_EQ(f.rows[0].first, 5u);
  EXPECT_EQ(f.rows[0].end, 8u);
  EXPECT_EQ(f.rows[1].end, 768u);
}

TEST(Footprint, KnowsBytesAndTheWordsAroundThem) {
  isa::Store op = test::store_row(3, 0x101);
  op.piece_bytes = 2;
  op.count0 = 3;
  op.dst_stride0 = 8;
  const Footprint f = footprint_of(op.encode(), kConfigurations[0], test::open_windows());
  EXPECT_TRUE(f.stores(0x101));
  EXPECT_TRUE(f.stores(0x10a));
  EXPECT_FALSE(f.stores(0x100));
  EXPECT_FALSE(f.stores(0x10b));
  ASSERT_EQ(f.touched.size(), 3u);
  EXPECT_EQ(f.touched[0].first, 0x100u);
  EXPECT_EQ(f.touched[0].end, 0x104u);
  EXPECT_EQ(f.touched[1].first, 0x108u);
}

TEST(ExpectedMemory, IsTheMachinesUntilItIsCaptured) {
  model::SparseMemory live(1 << 20);
  ExpectedMemory memory(live);
  const auto put = [&](std::uint64_t address, std::uint8_t value) { live.write(address, &value, 1); };
  const auto get = [&](std::uint64_t address) {
    std::uint8_t value = 0;
    memory.read(address, &value, 1);
    return int{value};
  };
  put(0x1fff, 1);
  EXPECT_EQ(get(0x1fff), 1);
  memory.capture(0x1ffe, 4);  // two pages
  put(0x1fff, 2);
  put(0x2001, 3);
  put(0x3000, 4);
  EXPECT_EQ(get(0x1fff), 1);
  EXPECT_EQ(get(0x2001), 0);
  EXPECT_EQ(get(0x3000), 4);
  EXPECT_FALSE(memory.difference(0x1000, 0xfff));
  const auto first = memory.difference(0x1000, 0x3000);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->address, 0x1fffu);
  EXPECT_EQ(first->expected, 1);
  EXPECT_EQ(first->actual, 2);
  EXPECT_EQ(memory.difference(0x2000, 0x3000)->address, 0x2001u);
  memory.refresh(0x1fff, 1);
  EXPECT_EQ(get(0x1fff), 2);
  EXPECT_EQ(get(0x2001), 0);
  const std::uint16_t word = 0x0302;
  memory.write(0x2001, &word, 2);
  EXPECT_EQ(get(0x2001), 2);
  EXPECT_EQ(get(0x2002), 3);
  memory.forget();
  EXPECT_EQ(get(0x2001), 3);
  EXPECT_FALSE(memory.difference(0, 1 << 20));
  memory.capture((1 << 20) - 4, 8);  // half of it lies beyond
  put((1 << 20) - 1, 5);
  EXPECT_EQ(memory.difference((1 << 20) - 4, 8)->address, (1u << 20) - 1);
  EXPECT_FALSE(memory.difference(1 << 20, 8));
}

}  // namespace
}  // namespace systole::lockstep
