// SPDX-License-Identifier: Apache-2.0
// The lanes of the vector processor with their multiplier and table: every operation on corner values and on random
// rows, with gaps between rows and without, against the functional model bit for bit. Latency and tags in every cycle.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "../loop_nest/pins.hpp"
#include "Vlanes_dim16.h"
#include "Vlanes_dim4.h"
#include "block_model.hpp"
#include "pipeline_reset.hpp"
#include "seed.hpp"
#include "vector_lanes.hpp"

namespace {

using namespace systole;
using kernel::Group;
using kernel::Op;
using test::get_bits;
using test::set_bits;
using Random = std::mt19937_64;

constexpr unsigned kLatency = 5;

std::vector<kernel::OpInfo> operations() {
  std::vector<kernel::OpInfo> found;
  for (const kernel::OpInfo& info : kernel::kOperations) {
    if (info.group == Group::kVector1 || info.group == Group::kVector2) found.push_back(info);
  }
  return found;
}

std::string_view name_of(Op op) {
  for (const kernel::OpInfo& info : kernel::kOperations) {
    if (info.op == op) return info.name;
  }
  return "?";
}

struct Operands {
  std::uint32_t a, b;
};

template <typename Model, int kDim>
class Bench {
 public:
  explicit Bench(std::uint64_t seed) : random(seed) {
    top_.clk_i = 0;
    top_.rst_ni = 0;
    top_.wr_valid_i = 0;
    idle();
    top_.rst_ni = 1;
    top_.wr_valid_i = 1;
    for (std::size_t i = 0; i < table_.size(); ++i) {
      table_[i] = static_cast<std::uint32_t>(random());
      top_.wr_index_i = static_cast<std::uint8_t>(i);
      top_.wr_data_i = table_[i];
      idle();
    }
    top_.wr_valid_i = 0;
  }
  ~Bench() { top_.final(); }

  std::uint32_t expected(Op op, Operands x, bool even) const {
    return op == Op::kTable ? table_[x.a & 0xff] : model::compute_lane(op, x.a, x.b, even);
  }

  /// `flipped`: bits that are expected otherwise than the model says, in lane 0.
  void push(Op op, bool even, const std::array<Operands, kDim>& row, std::uint32_t flipped = 0) {
    top_.valid_i = 1;
    top_.op_i = static_cast<std::uint8_t>(op);
    top_.even_i = even;
    top_.tag_i = static_cast<std::uint8_t>(random() & 0x7f);
    for (int n = 0; n < kDim; ++n) {
      set_bits(top_.a_i, 32 * n, 32, row[static_cast<std::size_t>(n)].a);
      set_bits(top_.b_i, 32 * n, 32, row[static_cast<std::size_t>(n)].b);
    }
    in_flight_.push_back({op, even, top_.tag_i, row, flipped});
    cycle(true);
  }

  /// A cycle without a row; the other inputs are whatever they are.
  void idle() {
    top_.valid_i = 0;
    top_.op_i = static_cast<std::uint8_t>(random() & 0x3f);
    top_.even_i = random() & 1;
    top_.tag_i = static_cast<std::uint8_t>(random() & 0x7f);
    for (int n = 0; n < kDim; ++n) {
      set_bits(top_.a_i, 32 * n, 32, static_cast<std::uint32_t>(random()));
      set_bits(top_.b_i, 32 * n, 32, static_cast<std::uint32_t>(random()));
    }
    cycle(false);
  }

  void finish() {
    for (unsigned i = 0; i < kLatency; ++i) idle();
    EXPECT_TRUE(in_flight_.empty());
  }

  Random random;
  /// For the test of the comparison: wrong results are collected, one a line, and do not end the test.
  bool keeps_failures = false;
  std::string failures;
  long compared = 0;

 private:
  struct Row {
    Op op;
    bool even;
    unsigned tag;
    std::array<Operands, kDim> operands;
    std::uint32_t flipped;
  };

  void cycle(bool valid) {
    top_.clk_i = 1;
    top_.eval();
    top_.clk_i = 0;
    top_.eval();
    if (!top_.rst_ni) return;
    valid_ = (valid_ << 1 | (valid ? 1u : 0u)) & ((1u << kLatency) - 1);
    // What the row that entered just now asks for.
    const Op newest = valid ? in_flight_.back().op : Op::kEnd;
    const bool multiplies =
        newest == Op::kImul || newest == Op::kMulHigh || newest == Op::kMulHighUnsigned || newest == Op::kFmul;
    if (top_.mul_valid_o != multiplies) fail("multiplier");
    if (top_.lookup_o != (newest == Op::kTable)) fail("look-up");
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

  std::array<std::uint32_t, kDim> result() const {
    std::array<std::uint32_t, kDim> lanes;
    for (int n = 0; n < kDim; ++n) lanes[static_cast<std::size_t>(n)] = get_bits(top_.result_o, 32 * n, 32);
    return lanes;
  }

  void check(const Row& row) {
    if (top_.tag_o != row.tag) fail("tag");
    const auto lanes = result();
    for (int n = 0; n < kDim; ++n) {
      const Operands x = row.operands[static_cast<std::size_t>(n)];
      const std::uint32_t want = expected(row.op, x, row.even) ^ (n == 0 ? row.flipped : 0);
      const std::uint32_t got = lanes[static_cast<std::size_t>(n)];
      ++compared;
      if (got != want) {
        fail(fmt::format("lane {}: {} {:08x} {:08x} even {} is {:08x}, not {:08x}", n, name_of(row.op), x.a, x.b,
                         row.even, got, want));
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

  std::array<std::uint32_t, kernel::kTableWords> table_{};
  std::deque<Row> in_flight_;
  unsigned valid_ = 0;
  std::array<std::uint32_t, kDim> last_{};
  bool any_ = false;
  VerilatedContext context_;
  test::BlockModel<Model> top_{&context_};
};

using Dim4 = Bench<Vlanes_dim4, 4>;
using Dim16 = Bench<Vlanes_dim16, 16>;

/// Pushes pairs of operands, as many in a row as there are lanes; the last row is filled up with zeros.
template <typename Model, int kDim>
void push_all(Bench<Model, kDim>& bench, Op op, bool even, const std::vector<Operands>& pairs) {
  for (std::size_t first = 0; first < pairs.size(); first += kDim) {
    std::array<Operands, kDim> row{};
    for (std::size_t n = 0; n < kDim && first + n < pairs.size(); ++n) row[n] = pairs[first + n];
    bench.push(op, even, row);
  }
}

/// Corners of integers and of binary32 numbers. Every word is one of each.
std::vector<std::uint32_t> corners() {
  std::set<std::uint32_t> words;
  const std::uint32_t magnitudes[] = {
      0x00000000, 0x00000001, 0x00400000, 0x007fffff,              // zero, subnormal
      0x00800000, 0x00800001, 0x00ffffff, 0x01000000, 0x01000001,  // about the smallest normal
      0x0c000000, 0x19800000, 0x20000000, 0x1fffffff, 0x20000001,  // products about 2^-126
      0x33800000, 0x33800001, 0x33ffffff, 0x34000000,              // half a last bit of 1
      0x3effffff, 0x3f000000, 0x3f000001, 0x3f7fffff, 0x3f800000,  // about a half and 1
      0x3f800001, 0x3fc00000, 0x3fc00001, 0x3fffffff, 0x40200000,  // a tie of a product and what is just above
      0x4affffff, 0x4b000000, 0x4b000001, 0x4b7fffff, 0x4b800001,  // about 2^23 and 2^24
      0x4effffff, 0x4f000000, 0x4f000001, 0x4f800000, 0x5f7fffff,  // about 2^31
      0x7e800000, 0x7effffff, 0x7f000000, 0x7f7ffffe, 0x7f7fffff,  // about the greatest
      0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff,              // infinity, NaN
  };
  for (const std::uint32_t word : magnitudes) {
    words.insert(word);
    words.insert(word | 0x80000000);
  }
  for (const int n : {1, 2, 5, 16, 30, 31, 32, 33}) {
    words.insert(static_cast<std::uint32_t>(n));
    words.insert(static_cast<std::uint32_t>(-n));
  }
  for (const int bit : {15, 24, 30}) words.insert({(1u << bit) - 1, (1u << bit) + 1, ~(1u << bit)});
  return {words.begin(), words.end()};
}

template <typename TestBench>
void all_pairs_of_corners() {
  TestBench bench(1);
  std::vector<Operands> pairs;
  for (const std::uint32_t a : corners()) {
    for (const std::uint32_t b : corners()) pairs.push_back({a, b});
  }
  for (const kernel::OpInfo& info : operations()) {
    for (const bool even : {false, true}) push_all(bench, info.op, even, pairs);
  }
  bench.finish();
  EXPECT_GT(bench.compared, 500000);
}

TEST(Lanes, AllPairsOfCornersDim4) { all_pairs_of_corners<Dim4>(); }
TEST(Lanes, AllPairsOfCornersDim16) { all_pairs_of_corners<Dim16>(); }

/// Every amount of a shift on words of every length, and ties of each.
TEST(Lanes, ShiftsByEveryAmount) {
  Dim4 bench(test::seed());
  for (const Op op :
       {Op::kShiftLeft, Op::kShiftSaturate, Op::kShiftRight, Op::kShiftLogical, Op::kShiftRound, Op::kRotateLeft}) {
    for (const bool even : {false, true}) {
      std::vector<Operands> pairs;
      for (int amount = -2; amount <= 34; ++amount) {
        const auto b = static_cast<std::uint32_t>(amount);
        for (int bit = 0; bit < 32; ++bit) {
          for (const std::uint32_t base :
               {1u << bit, 3u << bit, ~0u << bit, static_cast<std::uint32_t>(bench.random()) << bit}) {
            for (std::uint32_t a = base - 1; a != base + 2; ++a) pairs.insert(pairs.end(), {{a, b}, {0 - a, b}});
          }
        }
      }
      push_all(bench, op, even, pairs);
    }
  }
  bench.finish();
}

std::uint32_t word(Random& random) { return static_cast<std::uint32_t>(random()); }
std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// A binary32 number of a biased exponent, of 1 to 24 significant bits or nearly the next power of two.
std::uint32_t number(Random& random, int exponent) {
  const std::uint32_t sign = word(random) & 0x80000000, biased = static_cast<std::uint32_t>(exponent & 0xff) << 23;
  std::uint32_t fraction = word(random) & 0x7fffff;
  switch (random() % 4) {
    case 0: fraction &= 0x7fffff << random() % 24; break;
    case 1: fraction |= 0x7fffff >> random() % 24 << random() % 4 & 0x7fffff; break;
    default: break;
  }
  return sign | biased | fraction;
}

/// An exponent, not too far beyond the normal ones when it is computed.
int exponent_within(int exponent) { return std::clamp(exponent, 0, 255); }

using Draw = Operands (*)(Random&);

Operands any_bits(Random& random) {
  const auto narrow = [&] {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(word(random)) >> random() % 32);
  };
  return {narrow(), random() % 2 ? narrow() : word(random) % 40};
}

/// Exponents so close that the operands of a sum meet, often with equal or adjacent magnitudes.
Operands near(Random& random) {
  const int exponent = static_cast<int>(random() % 256);
  const std::uint32_t a = number(random, exponent);
  if (random() % 4 == 0) return {a, (a + static_cast<std::uint32_t>(random() % 9) - 4) ^ (word(random) & 0x80000000)};
  return {a, number(random, exponent_within(exponent + static_cast<int>(random() % 61) - 30))};
}

/// Sums and differences about 2^-126 and about 2^128.
Operands ends(Random& random) {
  const auto exponent = [&, top = random() % 2 == 0] { return static_cast<int>(random() % 28) + (top ? 228 : 0); };
  return {number(random, exponent()), number(random, exponent())};
}

/// Products about 2^-126 or 2^128, some as near as binary32 allows, or of any size.
Operands factors(Random& random) {
  const int exponent = 1 + static_cast<int>(random() % 254);
  const bool top = random() % 2 == 0;
  const std::uint32_t a = number(random, exponent);
  switch (random() % 4) {
    case 0: return {a, number(random, static_cast<int>(random() % 256))};
    case 1: {
      const double other = (top ? 0x1p128 : 0x1p-126) / static_cast<double>(std::bit_cast<float>(a));
      return {a, bits(static_cast<float>(other)) + word(random) % 3 - 1};
    }
    default: {
      const int sum = (top ? 381 : 127) + static_cast<int>(random() % 4) - 2;
      return {a, number(random, exponent_within(sum - exponent))};
    }
  }
}

/// Numbers about integers and halves of them, and integers whose last bits binary32 does not hold.
Operands conversions(Random& random) {
  const std::int32_t integer = static_cast<std::int32_t>(word(random)) >> random() % 32;
  const float half = static_cast<float>(integer) + 0.5F * static_cast<float>(random() % 2);
  const std::uint32_t real = bits(half) + word(random) % 3 - 1;
  const std::uint32_t tie = (word(random) | 1) << random() % 32;
  switch (random() % 3) {
    case 0: return {real, word(random)};
    case 1: return {number(random, 120 + static_cast<int>(random() % 42)), word(random)};
    default: return {tie + word(random) % 3 - 1, word(random)};
  }
}

/// Rows of all operations in random order, drawn from everything, with gaps.
template <typename TestBench, int kDim>
void random_rows(std::uint64_t fallback, int rounds) {
  TestBench bench(test::seed(fallback));
  Random& random = bench.random;
  constexpr Draw kDraws[] = {any_bits, near, ends, factors, conversions};
  const auto all = operations();
  for (int round = 0; round < rounds; ++round) {
    const int gaps = static_cast<int>(random() % 4);
    for (int i = 0; i < 100; ++i) {
      std::array<Operands, kDim> row;
      for (Operands& x : row) x = kDraws[random() % std::size(kDraws)](random);
      bench.push(all[random() % all.size()].op, random() & 1, row);
      while (gaps != 0 && static_cast<int>(random() % 4) < gaps) bench.idle();
    }
  }
  bench.finish();
}

class LanesRandom : public testing::TestWithParam<std::uint64_t> {};
TEST_P(LanesRandom, Dim4) { random_rows<Dim4, 4>(GetParam(), 500); }
TEST_P(LanesRandom, Dim16) { random_rows<Dim16, 16>(GetParam(), 250); }
INSTANTIATE_TEST_SUITE_P(Seeds, LanesRandom, testing::Range<std::uint64_t>(1, 4));

/// Binary32 arithmetic alone, each operation on what is hard for it.
TEST(Lanes, ArithmeticOnHardOperands) {
  Dim16 bench(test::seed());
  Random& random = bench.random;
  struct Case {
    Op op;
    Draw draw;
  };
  for (const Case c :
       {Case{Op::kFadd, near}, Case{Op::kFsub, near}, Case{Op::kFadd, ends}, Case{Op::kFsub, ends},
        Case{Op::kFmul, factors}, Case{Op::kToInt, conversions}, Case{Op::kToFloat, conversions}, Case{Op::kFmin, near},
        Case{Op::kFmax, near}, Case{Op::kFless, near}, Case{Op::kMulHigh, any_bits},
        Case{Op::kMulHighUnsigned, any_bits}, Case{Op::kRotateLeft, any_bits}, Case{Op::kCountOnes, any_bits},
        Case{Op::kImul, any_bits}, Case{Op::kMantissa, near}, Case{Op::kMaxMagnitude, near}}) {
    for (int i = 0; i < 2500; ++i) {
      std::array<Operands, 16> row;
      for (Operands& x : row) x = c.draw(random);
      bench.push(c.op, false, row);
    }
  }
  bench.finish();
}

TEST(Lanes, ResetForgetsRowsInFlight) { systole::test::expect_reset_forgets_rows<Vlanes_dim4>(kLatency); }

/// The comparison itself: one wrong bit is found, and named.
TEST(Lanes, ComparisonFindsOneWrongBit) {
  Dim4 bench(1);
  bench.keeps_failures = true;
  std::array<Operands, 4> row{};
  row[0] = {bits(1.5F), bits(0.25F)};
  bench.push(Op::kFadd, false, row);
  bench.push(Op::kFadd, false, row, 1);
  for (unsigned i = 0; i < kLatency; ++i) bench.idle();
  EXPECT_EQ(bench.failures, "lane 0: fadd 3fc00000 3e800000 even false is 3fe00000, not 3fe00001\n");
}

}  // namespace
