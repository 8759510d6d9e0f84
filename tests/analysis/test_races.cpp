// SPDX-License-Identifier: Apache-2.0
// The race checker refuses each kind of planted race and accepts its repair.
#include "systole/races.hpp"

#include <gtest/gtest.h>

#include "handwritten_program.hpp"
#include "interval_map.hpp"
#include "seed.hpp"
#include "systole/legality.hpp"

#include <random>

namespace systole {
namespace {

using isa::Space;
using namespace test;

const Configuration& kConfiguration = kConfigurations[1];  // small: DIM 8

std::optional<Race> races(const Program& p) { return check_races(p.commands, kConfiguration, open_windows()); }

/// Two commands that conflict: refused without synchronization, accepted when a semaphore orders them.
template <typename First, typename Second>
void expect_conflict(const First& first, const Second& second, Memory memory, std::uint64_t place) {
  SCOPED_TRACE(isa::to_string(First::kEngine) + std::string(" then ") + isa::to_string(Second::kEngine));
  Program racy;
  racy << isa::SyncLoad{} << signalling(first, 7) << second << waiting(isa::SyncStore{}, 7) << isa::End{};
  const auto race = races(racy);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->first, 1u);
  EXPECT_EQ(race->second, 2u);
  EXPECT_EQ(race->first_engine, First::kEngine);
  EXPECT_EQ(race->second_engine, Second::kEngine);
  EXPECT_EQ(race->memory, memory);
  EXPECT_EQ(race->place, place);
  EXPECT_NE(race->text().find("command 1 ("), std::string::npos) << race->text();
  EXPECT_NE(race->text().find(race->second_command), std::string::npos);
  Program ordered;
  ordered << signalling(first, 7) << waiting(second, 7) << isa::End{};
  const auto none = races(ordered);
  EXPECT_FALSE(none) << none->text();
  Program separated;
  separated << first << isa::End{} << second << isa::End{};
  EXPECT_FALSE(races(separated));
}

TEST(Races, EveryPairOfEngines) {
  const auto load = load_row(Space::kScratch, 5, 640);
  expect_conflict(load, conv_row(5, 0), Memory::kScratchpad, 5);
  expect_conflict(conv_row(5, 0), load, Memory::kScratchpad, 5);
  expect_conflict(load, map_row(5, 6), Memory::kScratchpad, 5);
  expect_conflict(map_row(5, 6), load, Memory::kScratchpad, 5);
  expect_conflict(map_row(6, 5), load, Memory::kScratchpad, 5);
  expect_conflict(load, map_row(6, 5), Memory::kScratchpad, 5);
  expect_conflict(load, store_row(5), Memory::kScratchpad, 5);
  expect_conflict(store_row(5), load, Memory::kScratchpad, 5);
  expect_conflict(map_row(6, 5), store_row(5), Memory::kScratchpad, 5);
  expect_conflict(store_row(5), map_row(6, 5), Memory::kScratchpad, 5);
  expect_conflict(map_row(6, 5), conv_row(5, 0), Memory::kScratchpad, 5);
  expect_conflict(conv_row(5, 0), map_row(6, 5), Memory::kScratchpad, 5);
  expect_conflict(conv_row(5, 3), drain_row(3, 6), Memory::kAccumulators, 3);
  expect_conflict(drain_row(3, 6), conv_row(5, 3), Memory::kAccumulators, 3);
  expect_conflict(preload_row(6, 3), conv_row(5, 3), Memory::kAccumulators, 3);
  expect_conflict(conv_row(5, 3), preload_row(6, 3), Memory::kAccumulators, 3);
}

TEST(Races, WeightsAndParameters) {
  const int rows = kConfiguration.weight_rows;
  expect_conflict(load_row(Space::kWeight, 3), conv_row(0, 0, 0), Memory::kWeights, 3);
  expect_conflict(conv_row(0, 0, rows - 4), load_row(Space::kWeight, rows + 2), Memory::kWeights, 2);  // both wrap
  expect_conflict(load_row(Space::kParam, 8), drain_row(0, 0), Memory::kParameters, 8);
  expect_conflict(drain_row(0, 0), load_row(Space::kParam, 3), Memory::kParameters, 3);
  isa::Table table;
  table.params = 10;
  expect_conflict(load_row(Space::kParam, 10 + 256 / 8 - 1), table, Memory::kParameters, 10 + 256 / 8 - 1);
  isa::Avgpool pool;
  pool.scalars = 4;
  pool.y0 = 1;  // the window misses its one position: entry 1
  expect_conflict(load_row(Space::kParam, 7), pool, Memory::kParameters, 7);
}

TEST(Races, DeviceMemory) {
  expect_conflict(store_row(5, 1000), load_row(Space::kScratch, 9, 1003), Memory::kDevice, 1003);
  expect_conflict(load_row(Space::kScratch, 9, 1003), store_row(5, 1000), Memory::kDevice, 1003);
  Program apart;
  apart << store_row(5, 1000) << load_row(Space::kScratch, 9, 1004) << load_row(Space::kScratch, 9, 996) << isa::End{};
  EXPECT_FALSE(races(apart));
}

TEST(Races, WindowsAreOneMemory) {
  auto windows = open_windows();
  windows[2].base = 512;
  auto load = load_row(Space::kScratch, 9, 88);
  load.window = 2;
  Program p;
  p << store_row(5, 600) << load << isa::End{};
  const auto race = check_races(p.commands, kConfiguration, windows);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->place, 600u);
}

TEST(Races, ReadsDoNotConflict) {
  Program p;
  p << conv_row(5, 0) << store_row(5) << map_row(5, 6) << isa::End{};
  EXPECT_FALSE(races(p));
}

TEST(Races, OneEngineIsInOrder) {
  Program p;
  p << load_row(Space::kScratch, 5) << load_row(Space::kScratch, 5) << isa::End{};
  p << drain_row(0, 5) << map_row(5, 6) << isa::End{};
  EXPECT_FALSE(races(p));
}

TEST(Races, WithinOneVectorCommand) {
  auto in_place = map_row(5, 5);
  in_place.out_width = 8;
  Program good;
  good << in_place << isa::End{};
  EXPECT_FALSE(races(good));
  auto shifted = in_place;
  shifted.dst = 6;
  Program bad;
  bad << shifted << isa::End{};
  const auto race = races(bad);
  ASSERT_TRUE(race);
  EXPECT_EQ(race->first, race->second);
  EXPECT_EQ(race->place, 6u);
  EXPECT_NE(race->text().find("within command 0"), std::string::npos);
}

TEST(Races, OrderPassesThroughOtherEngines) {
  Program p;
  p << signalling(load_row(Space::kScratch, 5), 0) << signalling(waiting(isa::SyncMxu{}, 0), 1)
    << signalling(waiting(isa::SyncVpu{}, 1), 2) << waiting(store_row(5), 2) << isa::End{};
  EXPECT_FALSE(races(p));
}

TEST(Races, AWaitIsOrderedAfterAsMuchAsItTakes) {
  const auto program = [](int first_wait) {
    Program p;  // LOAD signals once; the second wait needs both signals
    p << signalling(load_row(Space::kScratch, 5), 0) << signalling(load_row(Space::kScratch, 6), 0);
    p << waiting(conv_row(first_wait, 0), 0) << waiting(conv_row(6, 0), 0) << isa::End{};
    return p;
  };
  EXPECT_FALSE(races(program(5)));
  const auto race = races(program(6));  // after the first signal only row 5 has been loaded
  ASSERT_TRUE(race);
  EXPECT_EQ(race->first, 1u);
}

TEST(Races, SeveralSignallers) {
  const auto program = [](int amount) {
    Program p;  // one signal each from LOAD and VPU: only a wait for 2 is after both
    p << signalling(load_row(Space::kScratch, 5), 0) << signalling(map_row(9, 6), 0)
      << waiting(conv_row(5, 0), 0, amount);
    if (amount == 1) p << waiting(isa::SyncMxu{}, 0);
    p << isa::End{};
    return p;
  };
  EXPECT_FALSE(races(program(2)));
  EXPECT_TRUE(races(program(1)));
}

TEST(Races, SeveralSignallersInALoop) {
  Program p;  // the buffer is free when both MXU and VPU have read it; each round needs the order of the one before
  for (int t = 0; t < 20; ++t) {
    const auto load = load_row(Space::kScratch, 5);
    p << signalling(signalling(t ? waiting(load, 0, 2) : load, 1), 2);
    p << signalling(waiting(conv_row(5, 0), 1), 0);
    p << signalling(waiting(map_row(5, 6), 2), 0);
  }
  p << waiting(isa::SyncLoad{}, 0, 2) << isa::End{};
  const auto race = races(p);
  EXPECT_FALSE(race) << race->text();
  EXPECT_FALSE(check_program(p.commands, kConfiguration, open_windows()));
}

TEST(Races, PipelineWithEachOfItsWaitsLeftOut) {
  const auto good = pipeline(9);
  const auto refusal = check_program(good.commands, kConfiguration, open_windows());
  EXPECT_FALSE(refusal) << refusal->text();
  const auto none = races(good);
  EXPECT_FALSE(none) << none->text();
  for (int semaphore = 0; semaphore < 6; ++semaphore) {
    EXPECT_TRUE(races(pipeline(9, semaphore))) << "without the waits for semaphore " << semaphore;
  }
}

TEST(IntervalMap, EqualsAnArray) {
  std::mt19937_64 random(test::seed());
  analysis::IntervalMap map;
  std::vector<std::uint32_t> plain(200);
  for (std::uint32_t number = 1; number < 3000; ++number) {
    const std::uint64_t begin = random() % 199;
    const std::uint64_t end = begin + 1 + random() % std::min<std::uint64_t>(200 - begin, 1 + random() % 60);
    const std::uint32_t limit = number - std::min<std::uint32_t>(number, random() % 12);
    const auto hit = map.first_above(begin, end, limit);
    std::uint64_t expected = begin;
    while (expected < end && plain[expected] <= limit) ++expected;
    ASSERT_EQ(hit.has_value(), expected < end);
    if (hit) {
      EXPECT_EQ(hit->address, expected);
      EXPECT_EQ(hit->number, plain[expected]);
    }
    map.assign(begin, end, number);
    std::fill(plain.begin() + static_cast<std::ptrdiff_t>(begin), plain.begin() + static_cast<std::ptrdiff_t>(end),
              number);
  }
}

}  // namespace
}  // namespace systole
