// SPDX-License-Identifier: Apache-2.0
// The adder of block floating point: corners and random passes, with gaps between rows and without, against the golden
// model bit for bit. Latency in every cycle.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "../loop_nest/pins.hpp"
#include "Vblock_adder_dim16.h"
#include "Vblock_adder_dim32.h"
#include "Vblock_adder_dim4.h"
#include "Vblock_adder_dim8.h"
#include "block_model.hpp"
#include "block_products.hpp"
#include "pipeline_reset.hpp"
#include "scaled_integer.hpp"
#include "seed.hpp"

namespace systole::test {
namespace {

using Random = std::mt19937_64;

constexpr unsigned kLatency = 6;
constexpr std::int32_t kGreatestSum = 1 << 18;
constexpr int kBias = 266;
// The exponent field of 1 * 2^(Xa + Xw - 266) is Xa + Xw less this.
constexpr int kFieldBias = 139;
constexpr std::uint32_t kSign = 0x80000000, kNan = 0x7fc00000;

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

struct Lane {
  std::uint32_t acc = 0;
  std::int32_t sum = 0;  // of 16 products
  int exponent = 0;      // of the weights
  std::uint32_t expected = 0;
};

struct Row {
  int exponent = 0;  // of the activations
  bool add = true;
  std::vector<Lane> lanes;
};

/// A lane whose sum of products any blocks may have left.
Lane lane_of(std::uint32_t acc, std::int32_t sum, int act_exponent, int weight_exponent) {
  const bool nan = act_exponent == golden::kNanExponent || weight_exponent == golden::kNanExponent;
  const float result = golden::add_scaled(number(acc), sum, act_exponent + weight_exponent - kBias);
  return {acc, sum, weight_exponent, nan ? kNan : bits(result)};
}

template <typename Model>
class Bench {
 public:
  static constexpr std::size_t dim = sizeof(Model::result_o) / 4;

  explicit Bench(std::uint64_t seed) : random(seed) {
    top_.clk_i = 0;
    top_.rst_ni = 0;
    idle();
    top_.rst_ni = 1;
  }
  ~Bench() { top_.final(); }

  void expect_assertions() { top_.expect_assertions(); }

  /// A row that is not full is filled with zeros.
  void push(Row row) {
    row.lanes.resize(dim, lane_of(0, 0, row.exponent, 0));
    top_.valid_i = 1;
    top_.add_i = row.add;
    top_.act_exponent_i = static_cast<std::uint8_t>(row.exponent);
    for (std::size_t n = 0; n < dim; ++n) {
      const int at = static_cast<int>(n);
      set_bits(top_.sum_i, 32 * at, 32, static_cast<std::uint32_t>(row.lanes[n].sum));
      set_bits(top_.weight_exponent_i, 8 * at, 8, static_cast<std::uint32_t>(row.lanes[n].exponent));
    }
    in_flight_.push_back(std::move(row));
    cycle(true);
  }

  /// A cycle without a row; the other inputs are whatever they are.
  void idle() {
    top_.valid_i = 0;
    top_.add_i = random() & 1;
    top_.act_exponent_i = static_cast<std::uint8_t>(random());
    for (std::size_t n = 0; n < dim; ++n) {
      const int at = static_cast<int>(n);
      set_bits(top_.sum_i, 32 * at, 32, static_cast<std::uint32_t>(random()));
      set_bits(top_.weight_exponent_i, 8 * at, 8, static_cast<std::uint32_t>(random()) & 0xff);
    }
    cycle(false);
  }

  void finish() {
    for (unsigned i = 0; i < kLatency; ++i) idle();
    EXPECT_TRUE(in_flight_.empty());
    EXPECT_EQ(context_.errorCount(), 0);
  }

  Random random;
  /// For the test of the comparison: wrong results are collected, one a line, and do not end the test.
  bool keeps_failures = false;
  std::string failures;
  long compared = 0;

 private:
  void cycle(bool valid) {
    // The row of the accumulators belongs to the row of two cycles before.
    const bool reads = (valid_ >> 1 & 1) != 0;
    const Row* row = reads ? &in_flight_[in_flight_.size() - 1 - (valid_ & 1) - (valid ? 1 : 0)] : nullptr;
    for (std::size_t n = 0; n < dim; ++n) {
      const std::uint32_t acc = row ? row->lanes[n].acc : static_cast<std::uint32_t>(random());
      set_bits(top_.acc_i, static_cast<int>(32 * n), 32, acc);
    }
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    if (!top_.rst_ni) return;
    valid_ = (valid_ << 1 | (valid ? 1u : 0u)) & ((1u << kLatency) - 1);
    const bool due = (valid_ >> (kLatency - 1) & 1) != 0;
    if (static_cast<bool>(top_.valid_o) != due) return fail("valid_o");
    if (due) {
      check(in_flight_.front());
      in_flight_.pop_front();
    } else if (any_ && result() != last_) {
      fail("a result changed without a row");
    }
    any_ = any_ || due;
    last_ = result();
  }

  std::array<std::uint32_t, dim> result() const {
    std::array<std::uint32_t, dim> lanes;
    for (std::size_t n = 0; n < dim; ++n) lanes[n] = get_bits(top_.result_o, static_cast<int>(32 * n), 32);
    return lanes;
  }

  void check(const Row& row) {
    const auto got = result();
    for (std::size_t n = 0; n < dim; ++n) {
      const Lane& lane = row.lanes[n];
      const std::uint32_t want = row.add ? lane.expected : lane_of(0, lane.sum, row.exponent, lane.exponent).expected;
      ++compared;
      if (got[n] != want) {
        fail(fmt::format("lane {}: {:08x} + {} * 2^({} + {} - 266), add {}, is {:08x}, not {:08x}", n, lane.acc,
                         lane.sum, row.exponent, lane.exponent, row.add, got[n], want));
      }
    }
  }

  void fail(const std::string& what) {
    if (!keeps_failures) {
      ADD_FAILURE() << what;
    } else {
      failures += what + '\n';
    }
  }

  std::deque<Row> in_flight_;
  unsigned valid_ = 0;
  std::array<std::uint32_t, dim> last_{};
  bool any_ = false;
  VerilatedContext context_;
  BlockModel<Model> top_{&context_};
};

template <typename Model>
class BlockAdder : public testing::Test {};
using Models = testing::Types<Vblock_adder_dim4, Vblock_adder_dim8, Vblock_adder_dim16, Vblock_adder_dim32>;
TYPED_TEST_SUITE(BlockAdder, Models);

/// Collects lanes of rows with one exponent of activations and pushes rows when they are full.
template <typename Model>
class Rows {
 public:
  Rows(Bench<Model>& bench, int act_exponent) : bench_(bench) { row_.exponent = act_exponent; }
  ~Rows() noexcept(false) { flush(); }  // a failed check ends the test
  void add(std::uint32_t acc, std::int32_t sum, int weight_exponent) {
    row_.lanes.push_back(lane_of(acc, sum, row_.exponent, weight_exponent));
    if (row_.lanes.size() == Bench<Model>::dim) flush();
  }

 private:
  void flush() {
    if (!row_.lanes.empty()) bench_.push(row_);
    row_.lanes.clear();
  }
  Bench<Model>& bench_;
  Row row_;
};

TYPED_TEST(BlockAdder, ScalesByAllExponents) {
  Bench<TypeParam> bench(1);
  for (int a = 0; a <= 255; ++a) {
    Rows<TypeParam> rows(bench, a);
    for (int w = 0; w <= 255; ++w) {
      for (const std::int32_t sum : {1, -3, 4096, -kGreatestSum}) rows.add(0, sum, w);
      rows.add(0x3f800001, 4097, w);
      rows.add(0xff7fffff, kGreatestSum - 1, w);
    }
  }
  bench.finish();
}

/// Every exponent of the accumulator with every distance at which operands meet, of either sign.
TYPED_TEST(BlockAdder, AlignsByEveryDistance) {
  Bench<TypeParam> bench(seed());
  for (int act = 0; act <= 250; act += 25) {
    Rows<TypeParam> rows(bench, act);
    for (std::uint32_t field = 0; field <= 255; field += 3) {
      for (int distance = -32; distance <= 32; ++distance) {
        const int weight = static_cast<int>(field) + distance + kFieldBias - 8 - act;  // of sums of 9 bits
        if (weight < 0 || weight > 254) continue;
        const auto any = static_cast<std::uint32_t>(bench.random());
        rows.add(field << 23 | (any & 0x80000000), 256, weight);
        rows.add(field << 23 | (any & 0x807fffff), -257, weight);
        rows.add(field << 23 | (any & 0x80000007) | 0x7ffff8, 511, weight);
      }
    }
  }
  bench.finish();
}

std::vector<std::uint32_t> corners() {
  std::vector<std::uint32_t> words;
  for (const std::uint32_t word : {
           0x00000000, 0x00000001, 0x00400000, 0x007fffff,              // zero, subnormal
           0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x01000001,  // about the smallest normal
           0x33800000, 0x34000000, 0x3f7fffff, 0x3f800000, 0x3f800001,  // about 1
           0x4affffff, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800000,  // about 2^23 and 2^24: ties
           0x4b800001, 0x4b800002, 0x4b800003, 0x48800000, 0x487fffff,  // about 2^18
           0x7e800000, 0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff,  // about the greatest
           0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,              // infinity, NaN
       }) {
    words.insert(words.end(), {word, word | kSign});
  }
  return words;
}

TYPED_TEST(BlockAdder, AllPairsOfCorners) {
  Bench<TypeParam> bench(1);
  std::set<std::int32_t> sums = {0};
  for (const std::int32_t sum : {1, 2, 3, 5, 63, 64, 127, 128, 4095, 16129, kGreatestSum / 2, kGreatestSum}) {
    for (const std::int32_t near : {sum - 1, sum, sum + 1}) sums.insert({std::min(near, kGreatestSum), -near});
  }
  sums.erase(-kGreatestSum - 1);
  for (const int act : {0, 1, 6, 127, 133, 134, 254, 255}) {
    Rows<TypeParam> rows(bench, act);
    for (const int weight : {0, 1, 6, 127, 132, 133, 139, 253, 254, 255}) {
      for (const std::int32_t sum : sums) {
        for (const std::uint32_t acc : corners()) rows.add(acc, sum, weight);
      }
    }
  }
  bench.finish();
  EXPECT_GT(bench.compared, 150000);
}

/// Draws what a lane of a row adds, so that its operands meet.
class Draws {
 public:
  explicit Draws(Random& random) : random_(random) {}

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Lane lane(int act_exponent) {
    const std::int32_t sum = this->sum();
    const int width = sum == 0 ? 1 : static_cast<int>(std::bit_width(static_cast<std::uint32_t>(std::abs(sum))));
    const int field = between(0, 15) == 0 ? between(-20, 300) : between(1, 254);
    const int weight = std::clamp(field - width + 1 + kFieldBias - act_exponent, 0, between(0, 99) == 0 ? 255 : 254);
    const float addend = golden::add_scaled(0, sum, act_exponent + weight - kBias);
    return lane_of(acc(bits(addend)), sum, act_exponent, weight);
  }

  /// Anything, or near the opposite of what is added to it, or not too far above or below it.
  std::uint32_t acc(std::uint32_t addend) {
    const auto any = static_cast<std::uint32_t>(random_());
    const std::uint32_t fraction = any & 0x807fffffU & ~((1u << between(0, 23)) - 1);
    const int field = static_cast<int>(addend >> 23 & 255U);
    switch (between(0, 9)) {
      case 0: return any;
      case 1: return (addend ^ kSign) + static_cast<std::uint32_t>(between(-4, 4));
      case 2: return (any & 0x80ffffffU) + (addend & 0x7f000000U);
      case 3: return (addend & 0x7f800000U) | fraction;
      case 4: return (addend & 0x7f800000U) | (any & 0x80000003U) | 0x7ffffcU;
      default: return fraction | static_cast<std::uint32_t>(std::clamp(field + between(-26, 26), 0, 254)) << 23;
    }
  }

 private:
  std::int32_t sum() {
    const int width = between(0, 18);
    const std::int32_t any = between((1 << width) / 2, 1 << width);
    return between(0, 1) != 0 ? -any : any;
  }

  Random& random_;
};

/// Cycles without a row, `density` of four times none.
template <typename Model>
void gap(Bench<Model>& bench, int density) {
  while (density != 0 && static_cast<int>(bench.random() % 4) < density) bench.idle();
}

TYPED_TEST(BlockAdder, RandomPasses) {
  constexpr long kPasses = 100000;
  Bench<TypeParam> bench(seed());
  Draws draws(bench.random);
  while (bench.compared < kPasses) {
    const int density = draws.between(0, 3);
    for (int i = 0; i < 100; ++i) {
      Row row;
      row.exponent = draws.between(0, 199) == 0 ? 255 : draws.between(0, 254);
      row.add = draws.between(0, 7) != 0;
      for (std::size_t n = 0; n < Bench<TypeParam>::dim; ++n) row.lanes.push_back(draws.lane(row.exponent));
      bench.push(row);
      gap(bench, density);
    }
  }
  bench.finish();
}

golden::Block random_block(Draws& draws, int exponent) {
  golden::Block block;
  const int most = draws.between(0, 3) == 0 ? 128 : draws.between(0, 127);
  for (std::int8_t& mantissa : block.mantissas) {
    mantissa = static_cast<std::int8_t>(draws.between(-most, std::min(most, 127)));
  }
  block.exponent = static_cast<std::uint8_t>(exponent);
  return block;
}

/// Blocks as they are, and what golden::add_product says.
TYPED_TEST(BlockAdder, RandomBlocks) {
  constexpr long kPasses = 100000;
  Bench<TypeParam> bench(seed());
  Draws draws(bench.random);
  while (bench.compared < kPasses) {
    Row row;
    row.exponent = draws.between(80, 170);
    for (std::size_t n = 0; n < Bench<TypeParam>::dim; ++n) {
      const golden::Block a = random_block(draws, row.exponent), b = random_block(draws, draws.between(80, 170));
      std::int32_t sum = 0;
      for (std::size_t i = 0; i < a.mantissas.size(); ++i) sum += a.mantissas[i] * b.mantissas[i];
      const std::uint32_t acc = draws.acc(bits(golden::add_product(0, a, b)));
      row.lanes.push_back({acc, sum, b.exponent, bits(golden::add_product(number(acc), a, b))});
    }
    bench.push(row);
    gap(bench, 1);
  }
  bench.finish();
}

TEST(BlockAdderAlone, ResetForgetsRowsInFlight) { expect_reset_forgets_rows<Vblock_adder_dim4>(kLatency); }

/// The comparison itself: one wrong bit is found, and named.
TEST(BlockAdderAlone, ComparisonFindsOneWrongBit) {
  Bench<Vblock_adder_dim4> bench(1);
  bench.keeps_failures = true;
  Row row;
  row.exponent = 133;
  row.lanes = {lane_of(0x3f800000, 3, 133, 133)};
  bench.push(row);
  row.lanes[0].expected ^= 1;
  bench.push(row);
  for (unsigned i = 0; i < kLatency; ++i) bench.idle();
  EXPECT_EQ(bench.failures, "lane 0: 3f800000 + 3 * 2^(133 + 133 - 266), add true, is 40800000, not 40800001\n");
}

TEST(BlockAdderAlone, AssertsThatSumsAreInRange) {
  for (const std::int32_t sum : {kGreatestSum, -kGreatestSum, kGreatestSum + 1, -kGreatestSum - 1}) {
    testing::internal::CaptureStdout();
    {
      Bench<Vblock_adder_dim4> bench(1);
      bench.expect_assertions();
      Row row;
      row.lanes = {lane_of(0, 0, 0, 0), lane_of(0, sum, 0, 0)};
      bench.push(row);
    }
    std::fflush(stdout);
    const std::string text = testing::internal::GetCapturedStdout();
    EXPECT_EQ(text.find("SumIsOfSixteenProducts") != std::string::npos, std::abs(sum) > kGreatestSum) << sum;
  }
}

}  // namespace
}  // namespace systole::test
