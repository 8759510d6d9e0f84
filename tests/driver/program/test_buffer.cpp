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

TEST(AddressSpace, ReservesAtMultiples) {
  AddressSpace space(64, 64 * 20);
  EXPECT_EQ(space.reserve(64, 512), 512u);
  EXPECT_EQ(space.reserve(128, 512), 1024u);
  EXPECT_EQ(space.reserve(448), 64u) << "what was skipped stays free";
  EXPECT_THROW(space.reserve(64, 512), std::runtime_error) << "no multiple is left";
  EXPECT_EQ(space.free_bytes(), 64u * 9);
  for (const std::uint64_t address : {512, 64, 1024}) {
    space.release(address);
  }
  EXPECT_EQ(space.reserve(64 * 19), 64u);  // all of it again
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
