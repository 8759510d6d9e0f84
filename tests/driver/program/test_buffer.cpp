// SPDX-License-Identifier: Apache-2.0
#include "systole/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "seed.hpp"

namespace systole {
namespace {

TEST(AddressSpace, RoundsUpAndAligns) {
  AddressSpace space(64, 64 * 10);
  EXPECT_EQ(space.reserve(1), 64u);
  EXPECT_EQ(space.reserve(65), 128u);
  EXPECT_EQ(space.reserve(0), 256u);
  EXPECT_EQ(space.free_bytes(), 64u * 5);
}

TEST(AddressSpace, ErrorNamesSizes) {
  AddressSpace space(0, 640);
  space.reserve(512);
  try {
    space.reserve(256);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("256 bytes asked for, the largest free range has 128"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(space.release(64), std::logic_error);
  EXPECT_THROW(AddressSpace(1, 64), std::invalid_argument);
}

TEST(AddressSpace, MergesFreeNeighbours) {
  AddressSpace space(0, 640);
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(space.reserve(64));
  }
  std::mt19937_64 random(test::seed());
  std::shuffle(all.begin(), all.end(), random);
  for (const auto address : all) {
    space.release(address);
  }
  EXPECT_EQ(space.reserve(640), 0u);
}

TEST(AddressSpace, ReservesAtAddress) {
  AddressSpace space(64, 640);
  space.reserve_at(128, 100);  // two units
  EXPECT_EQ(space.free_bytes(), 448u);
  EXPECT_EQ(space.reserve(64), 64u);
  EXPECT_EQ(space.reserve(64), 256u);
  space.reserve_at(576, 64);
  for (const auto& [address, bytes, text] :
       {std::tuple{128, 64, "0x80 to 0xc0 is occupied"}, std::tuple{192, 1, "occupied"},
        std::tuple{512, 128, "occupied"}, std::tuple{0, 64, "not within 0x40 to 0x280"},
        std::tuple{640, 1, "not within"}, std::tuple{320, 321, "not within"},
        std::tuple{100, 1, "not a multiple of 64"}}) {
    try {
      space.reserve_at(static_cast<std::uint64_t>(address), static_cast<std::uint64_t>(bytes));
      ADD_FAILURE() << address;
    } catch (const std::runtime_error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(space.reserve_at(320, ~std::uint64_t{0}), std::runtime_error);
  for (const std::uint64_t address : {128, 64, 256, 576}) {
    space.release(address);
  }
  EXPECT_EQ(space.reserve(576), 64u);  // all of it again
}

TEST(Buffer, RejectsOccupiedAddress) {
  auto space = std::make_shared<AddressSpace>(0, 1024);
  const Buffer first(space, 512, 64);
  EXPECT_EQ(first.address(), 512u);
  EXPECT_THROW(Buffer(space, 512, 64), std::runtime_error);  // and does not free what is the other's
  EXPECT_THROW(Buffer(space, 512, 64), std::runtime_error);
}

TEST(Buffer, FreesOnDestructionAndMoves) {
  auto space = std::make_shared<AddressSpace>(0, 1024);
  {
    Buffer a(space, 512);
    Buffer b = std::move(a);
    EXPECT_EQ(b.bytes(), 512u);
    EXPECT_EQ(a.bytes(), 0u);  // NOLINT: a moved-from buffer is empty
    Buffer c(space, 512);
    c = std::move(b);
    EXPECT_EQ(space->free_bytes(), 512u);
  }
  EXPECT_EQ(space->free_bytes(), 1024u);
}

}  // namespace
}  // namespace systole
