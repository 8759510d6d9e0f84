// SPDX-License-Identifier: Apache-2.0
// The loop nest against nested counting in C++: random nests, random idle cycles between steps.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "Vloop_nest_five.h"
#include "Vloop_nest_four.h"
#include "Vloop_nest_one.h"
#include "Vloop_nest_two.h"
#include "block_model.hpp"
#include "pins.hpp"
#include "seed.hpp"

namespace {

using systole::test::set_bits;

constexpr std::uint32_t kCoordMask = (1u << 18) - 1;

template <int kLevels>
struct Nest {
  std::array<std::uint32_t, kLevels> count, addr_step, y_step, x_step;
  std::uint32_t addr, y, x, height, width;
};

std::int32_t coordinate(std::uint32_t bits) { return static_cast<std::int32_t>(bits << 14) >> 14; }

/// The position that `index` names, level 0 fastest.
template <int kLevels>
struct Position {
  std::uint32_t addr, y, x;
  std::uint32_t first = 0, last = 0;
  bool inside;

  Position(const Nest<kLevels>& nest, std::uint32_t index) : addr(nest.addr), y(nest.y), x(nest.x) {
    for (int l = 0; l < kLevels; ++l) {
      const std::uint32_t i = index % nest.count[l];
      index /= nest.count[l];
      addr += i * nest.addr_step[l];
      y += i * nest.y_step[l];
      x += i * nest.x_step[l];
      first |= (i == 0 ? 1u : 0u) << l;
      last |= (i + 1 == nest.count[l] ? 1u : 0u) << l;
    }
    addr &= 0xffff;
    y &= kCoordMask;
    x &= kCoordMask;
    const auto within = [](std::uint32_t c, std::uint32_t extent) {
      return coordinate(c) >= 0 && coordinate(c) < static_cast<std::int32_t>(extent);
    };
    inside = within(y, nest.height) && within(x, nest.width);
  }
};

/// `kYLevels` and `kXLevels`: the levels that move a coordinate; the pins have random steps of the others.
template <typename Model, int kLevels, int kYLevels, int kXLevels>
class Bench {
 public:
  Bench() {
    top_.clk_i = 0;
    top_.start_i = 0;
    top_.step_i = 0;
    top_.rst_ni = 0;
    tick();
    top_.rst_ni = 1;
  }
  ~Bench() { top_.final(); }

  /// Sets counts and steps. Random are those that the nest does not read now: all but level 0's steps, unless `all`.
  void loops(const Nest<kLevels>& nest, bool all, std::mt19937_64& random) {
    for (int l = 0; l < kLevels; ++l) {
      const auto value = [&](bool used, std::uint32_t wanted) {
        return used ? wanted : static_cast<std::uint32_t>(random());
      };
      set_bits(top_.count_i, l * 16, 16, value(all, nest.count[l]));
      set_bits(top_.addr_step_i, l * 16, 16, value(all || l == 0, nest.addr_step[l]));
      const bool moves_y = kYLevels >> l & 1, moves_x = kXLevels >> l & 1;
      set_bits(top_.y_step_i, l * 18, 18, value((all || l == 0) && moves_y, nest.y_step[l]));
      set_bits(top_.x_step_i, l * 18, 18, value((all || l == 0) && moves_x, nest.x_step[l]));
    }
  }

  void start(const Nest<kLevels>& nest, std::mt19937_64& random) {
    loops(nest, true, random);
    top_.base_addr_i = nest.addr;
    top_.base_y_i = nest.y;
    top_.base_x_i = nest.x;
    top_.height_i = nest.height;
    top_.width_i = nest.width;
    top_.start_i = 1;
    top_.step_i = random() & 1;  // start overrides step
    tick();
    top_.start_i = 0;
    top_.step_i = 0;
    top_.base_addr_i = random() & 0xffff;  // read with start only
    top_.base_y_i = random() & kCoordMask;
    top_.base_x_i = random() & kCoordMask;
  }

  void step(bool on) {
    top_.step_i = on;
    tick();
    top_.step_i = 0;
  }

  void check(const Position<kLevels>& expected, bool done) {
    ASSERT_EQ(top_.addr_o, expected.addr);
    ASSERT_EQ(top_.y_o, expected.y);
    ASSERT_EQ(top_.x_o, expected.x);
    ASSERT_EQ(top_.first_o, expected.first);
    ASSERT_EQ(top_.last_o, expected.last);
    ASSERT_EQ(top_.inside_o, expected.inside);
    ASSERT_EQ(top_.done_o, done);
  }

 private:
  void tick() {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
  }

  VerilatedContext context_;
  systole::test::BlockModel<Model> top_{&context_};
};

/// A step of a level that the nest was told not to move.
void keep_still(std::uint32_t& step, int levels, int level) { step = (levels >> level & 1) != 0 ? step : 0; }

template <int kLevels>
Nest<kLevels> random_nest(std::mt19937_64& random) {
  Nest<kLevels> nest;
  const bool small = random() % 2;  // small steps cross the borders of the tensor often
  for (int l = 0; l < kLevels; ++l) {
    nest.count[l] = 1 + random() % 5;
    nest.addr_step[l] = random() & 0xffff;
    nest.y_step[l] = (small ? random() % 4 : random()) & kCoordMask;
    nest.x_step[l] = (small ? random() % 4 : random()) & kCoordMask;
  }
  nest.addr = random() & 0xffff;
  nest.y = (small ? random() % 6 - 3 : random()) & kCoordMask;
  nest.x = (small ? random() % 6 - 3 : random()) & kCoordMask;
  nest.height = small ? 1 + random() % 6 : random() % (1u << 17);
  nest.width = small ? 1 + random() % 6 : random() % (1u << 17);
  return nest;
}

template <typename Model, int kLevels, int kYLevels = -1, int kXLevels = -1>
void run(std::uint64_t seed) {
  std::mt19937_64 random(systole::test::seed(seed));
  Bench<Model, kLevels, kYLevels, kXLevels> bench;
  for (int round = 0; round < 200; ++round) {
    Nest<kLevels> nest = random_nest<kLevels>(random);
    for (int l = 0; l < kLevels; ++l) {
      keep_still(nest.y_step[l], kYLevels, l);
      keep_still(nest.x_step[l], kXLevels, l);
    }
    std::uint32_t total = 1;
    for (const std::uint32_t count : nest.count) total *= count;
    bench.start(nest, random);
    // One nest in eight is abandoned: start must clear whatever was left.
    const std::uint32_t end = random() % 8 ? total : static_cast<std::uint32_t>(random() % total);
    for (std::uint32_t i = 0; i < end; ++i) {
      const Position<kLevels> position(nest, i);
      bench.loops(nest, position.last & 1, random);
      while (random() % 4 == 0) bench.step(false);
      ASSERT_NO_FATAL_FAILURE(bench.check(position, i + 1 == total));
      bench.step(i + 1 < total);
    }
    if (end == total) {
      bench.step(true);  // changes nothing
      ASSERT_NO_FATAL_FAILURE(bench.check(Position<kLevels>(nest, total - 1), true));
    }
  }
}

class LoopNest : public testing::TestWithParam<std::uint64_t> {};

TEST_P(LoopNest, OneLevel) { run<Vloop_nest_one, 1>(GetParam()); }
TEST_P(LoopNest, TwoLevels) { run<Vloop_nest_two, 2>(GetParam()); }
/// Window column, window row, output column, output row.
TEST_P(LoopNest, LevelsThatKeepACoordinate) { run<Vloop_nest_four, 4, 10, 5>(GetParam()); }
TEST_P(LoopNest, FiveLevels) { run<Vloop_nest_five, 5>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Seeds, LoopNest, testing::Range<std::uint64_t>(1, 5));

TEST(LoopNestAssertion, NegativeExtentIsReported) {
  VerilatedContext context;
  systole::test::BlockModel<Vloop_nest_one> top(&context);
  top.expect_assertions();
  top.clk_i = 0;
  top.rst_ni = 1;
  top.start_i = 1;
  top.step_i = 0;
  top.height_i = 1u << 17;
  top.width_i = 1;
  top.count_i = 1;
  top.eval();
  top.clk_i = 1;
  top.eval();
  EXPECT_GT(context.errorCount(), 0);
}

}  // namespace
