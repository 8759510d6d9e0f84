// SPDX-License-Identifier: Apache-2.0
// Products of blocks: corners, and random passes against exact sums (long_number.hpp). One rule for arrays of all
// sizes.
#include "block_products.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "block_tile.hpp"
#include "long_number.hpp"
#include "random_tensors.hpp"
#include "scaled_integer.hpp"
#include "seed.hpp"

namespace systole::golden::test {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kGreatest = std::numeric_limits<float>::max();
constexpr std::uint32_t kNan = 0x7fc00000, kSign = 0x80000000;
constexpr int kGreatestExponent = 254, kBias = 266;

std::uint32_t bits(float a) { return std::bit_cast<std::uint32_t>(a); }
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

Block single(int mantissa, int exponent) {
  return {{static_cast<std::int8_t>(mantissa)}, static_cast<std::uint8_t>(exponent)};
}

std::int32_t dot(const Block& a, const Block& b, int first = 0, int last = kBlockSize) {
  std::int32_t sum = 0;
  for (int n = first; n < last; ++n) sum += a.mantissas[std::size_t(n)] * b.mantissas[std::size_t(n)];
  return sum;
}

bool is_subnormal(double x) { return std::fabs(x) < 0x1p-126; }

/// The contract, word by word, for sums that are finite.
float expected_sum(float sum, const Block& a, const Block& b) {
  const std::int32_t products = dot(a, b);
  const int exponent = a.exponent + b.exponent - kBias;
  LongNumber exact;
  if (!is_subnormal(double{sum})) exact.add(sum);
  if (!is_subnormal(std::ldexp(products, exponent))) exact.add(products, exponent);
  return exact.rounded();
}

TEST(BlockProducts, OfAllExponentsArePowersOfTwo) {
  for (int a = 0; a <= kGreatestExponent; ++a) {
    for (int b = 0; b <= kGreatestExponent; ++b) {
      for (const int sign : {-1, 1}) {
        const float result = add_product(0, single(64 * sign, a), single(64, b));
        const double exact = sign * std::ldexp(1.0, a + b - 254);
        const float expected = is_subnormal(exact) ? 0.0F : static_cast<float>(exact);
        ASSERT_EQ(bits(result), bits(expected)) << a << " " << b;
      }
    }
  }
}

TEST(BlockProducts, CancelToPlusZero) {
  EXPECT_EQ(bits(add_product(-1, single(64, 127), single(64, 127))), 0U);
  EXPECT_EQ(bits(add_product(-0.0F, Block{}, Block{})), 0U);
  EXPECT_EQ(bits(add_product(-0x1.8p-126F, single(64, 1), single(64, 127))), 0U);  // -2^-127
  EXPECT_EQ(add_product(-0x1p24F, single(127, 127 + 18), single(127, 133)), -0x1p24F + 0x1p12F * 16129);
  EXPECT_EQ(add_product(0x1.fffffep100F, single(-64, 127 + 101), single(64, 127)), -0x1p77F);
}

TEST(BlockProducts, ASubnormalSideCountsAsZero) {
  EXPECT_EQ(bits(add_product(number(0x007fffff), Block{}, Block{})), 0U);
  EXPECT_EQ(add_product(number(0x007fffff), single(1, 133), single(1, 133)), 1);
  const Block least = single(64, 1), half = single(64, 126);              // 2^-126 and 1/2
  EXPECT_EQ(add_product(0x1p-126F, least, half), 0x1p-126F);              // 2^-127 is lost
  EXPECT_EQ(add_product(0x1p-126F, least, single(64, 127)), 0x1p-125F);   // 2^-126 is not
  EXPECT_EQ(add_product(0x1p-126F, least, single(127, 126)), 0x1p-126F);  // 127/128 of it is
  EXPECT_EQ(add_product(0x1p-103F, single(1, 140), single(1, 0)), 0x1p-103F * (1 + 0x1p-23F));
  EXPECT_EQ(add_product(0x1p-103F, single(1, 139), single(1, 0)), 0x1p-103F);
}

TEST(BlockProducts, OverflowToInfinityAndStayThere) {
  const Block big = single(64, 254);  // 2^127
  EXPECT_EQ(add_product(0x1p127F, big, single(64, 127)), kInfinite);
  EXPECT_EQ(add_product(-0x1p127F, big, single(-64, 127)), -kInfinite);
  EXPECT_EQ(add_product(-0x1p127F, big, single(64, 128)), 0x1p127F);        // 2^128 - 2^127
  EXPECT_EQ(add_product(-kGreatest, big, single(64, 128)), 0x1p104F);       // 2^128 - (2^128 - 2^104)
  EXPECT_EQ(add_product(kGreatest, big, single(64, 127 - 25)), kGreatest);  // less than half a unit
  EXPECT_EQ(add_product(kGreatest, big, single(64, 127 - 24)), kInfinite);  // a tie, to even
  EXPECT_EQ(add_product(kInfinite, big, single(-127, 254)), kInfinite);
  EXPECT_EQ(add_product(-kInfinite, single(1, 0), single(1, 0)), -kInfinite);
  EXPECT_EQ(add_product(0, big, big), kInfinite);
}

TEST(BlockProducts, OfNansAreOneNan) {
  const Block nan = {{}, kNanExponent}, one = single(64, 127);
  EXPECT_EQ(bits(add_product(1, nan, Block{})), kNan);
  EXPECT_EQ(bits(add_product(1, one, nan)), kNan);
  EXPECT_EQ(bits(add_product(kInfinite, nan, nan)), kNan);
  for (const std::uint32_t word : {0x7f800001U, 0xffc00000U, 0xffffffffU}) {
    EXPECT_EQ(bits(add_product(number(word), one, one)), kNan);
  }
}

TEST(BlockProducts, RoundTiesToEven) {
  const Block one = single(64, 127);
  EXPECT_EQ(add_product(0x1p24F, one, one), 0x1p24F);
  EXPECT_EQ(add_product(0x1p24F + 2, one, one), 0x1p24F + 4);
  EXPECT_EQ(add_product(-0x1p24F, single(-64, 127), one), -0x1p24F);
  EXPECT_EQ(add_product(0x1p24F, one, single(65, 127)), 0x1p24F + 2);  // 1 + 1/64
  EXPECT_EQ(add_product(0x1p24F, single(-64, 126), one), 0x1p24F);     // below, units are half as long: a tie
  EXPECT_EQ(add_product(0x1p24F, single(-65, 126), one), 0x1p24F - 1);
  EXPECT_EQ(add_product(1, one, single(1, 0)), 1);
  EXPECT_EQ(add_product(1, single(127, 127), single(1, 110)), 1 + 0x1p-22F);  // 1.98 * 2^-23
}

TEST(BlockProducts, OfExtremeBlocksAreExact) {
  Block low, high;
  low.mantissas.fill(-128), high.mantissas.fill(127);
  low.exponent = high.exponent = 133;
  EXPECT_EQ(add_product(0, low, low), 262144);
  EXPECT_EQ(add_product(0, low, high), -260096);
  EXPECT_EQ(add_product(0, high, high), 258064);
}

class RandomPasses : public testing::Test {
 protected:
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Block block(int exponent) {
    Block block;
    const int most = between(0, 3) == 0 ? 128 : between(0, 127);
    for (std::int8_t& mantissa : block.mantissas) {
      mantissa = static_cast<std::int8_t>(between(-most, std::min(most, 127)));
    }
    block.exponent = static_cast<std::uint8_t>(exponent);
    return block;
  }

  /// Anything, or near the opposite of what is added to it, or a tie or almost one.
  float start(const Block& a, const Block& b) {
    const float addend = add_product(0, a, b);
    const std::uint32_t any = static_cast<std::uint32_t>(random_());
    switch (between(0, 3)) {
      case 0: return number(any);
      case 1: return number((bits(addend) ^ kSign) + static_cast<std::uint32_t>(between(-2, 2)));
      case 2: return number((any & 0x80ffffffU) + (bits(addend) & 0x7f000000U));
      default: {
        const int field = static_cast<int>(bits(addend) >> 23 & 255U) + between(-26, 26);
        return number((any & 0x807fffffU) | static_cast<std::uint32_t>(std::clamp(field, 0, 254)) << 23);
      }
    }
  }

  std::mt19937_64 random_{systole::test::seed()};
};

TEST_F(RandomPasses, AreExactSumsRoundedOnce) {
  constexpr int kPasses = 100000;
  int finite = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    const bool low = between(0, 7) == 0;  // near 2^-126
    const int first = between(0, kGreatestExponent);
    const int second =
        low ? std::clamp(133 - first + between(-12, 12), 0, kGreatestExponent) : between(0, kGreatestExponent);
    const Block a = block(first), b = block(second);
    const float sum = start(a, b), result = add_product(sum, a, b);
    if (std::isnan(sum)) {
      ASSERT_EQ(bits(result), kNan) << "pass " << pass;
    } else if (std::isinf(sum)) {
      ASSERT_EQ(result, sum) << "pass " << pass;
    } else {
      ++finite;
      ASSERT_EQ(bits(result), bits(expected_sum(sum, a, b)))
          << "pass " << pass << ": " << sum << " + " << dot(a, b) << " * 2^" << first + second - kBias;
    }
  }
  EXPECT_GT(finite, kPasses * 9 / 10);
}

/// Blocks of different sizes, so that their sums are rounded.
Matrix<Block> random_rows(int rows, int depth) {
  Matrix<float> values(rows, depth);
  for (int row = 0; row < rows; ++row) {
    int size = 0;
    for (int n = 0; n < depth; ++n) {
      size = n % kBlockSize == 0 ? between(-12, 0) : size;
      values.at(row, n) = std::ldexp(static_cast<float>(between(-1000, 1000)), size - between(0, 3));
    }
  }
  ConversionCounts counts;
  return to_blocks(values, counts);
}

RC_GTEST_PROP(BlockProducts, OfMatricesAreAddedInAscendingOrder, ()) {
  const int rows = between(1, 5), columns = between(1, 5), depth = between(1, 100);
  const Matrix<Block> a = random_rows(rows, depth), b = random_rows(columns, depth);
  Matrix<float> sums(rows, columns);
  for (float& sum : sums.data) sum = static_cast<float>(between(-100000, 100000));
  const Matrix<float> starts = sums;
  add_products(sums, a, b);
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column) {
      float expected = starts.at(row, column);
      for (int block = 0; block < a.columns; ++block) {
        expected = expected_sum(expected, a.at(row, block), b.at(column, block));
      }
      RC_ASSERT(bits(sums.at(row, column)) == bits(expected));
    }
  }
}

TEST(BlockProducts, RefuseOtherShapes) {
  Matrix<float> sums(2, 3);
  EXPECT_NO_THROW(add_products(sums, Matrix<Block>(2, 4), Matrix<Block>(3, 4)));
  EXPECT_THROW(add_products(sums, Matrix<Block>(2, 4), Matrix<Block>(3, 5)), std::invalid_argument);
  EXPECT_THROW(add_products(sums, Matrix<Block>(3, 4), Matrix<Block>(3, 4)), std::invalid_argument);
  EXPECT_THROW(add_products(sums, Matrix<Block>(2, 4), Matrix<Block>(2, 4)), std::invalid_argument);
}

/// What an array of `lanes` rows adds up in a pass, and when it adds to the sum: below 16 it keeps integers until a
/// block is complete, above it adds its parts one after another.
float on_array(int lanes, const Matrix<Block>& a, const Matrix<Block>& b) {
  float sum = 0;
  std::int32_t kept = 0;
  for (int pass = 0; pass < a.columns * kBlockSize; pass += lanes) {
    for (int first = pass; first < std::min(pass + lanes, a.columns * kBlockSize);
         first += std::min(lanes, kBlockSize)) {
      const int last = first + std::min(lanes, kBlockSize);
      const Block &x = a.at(0, first / kBlockSize), &y = b.at(0, first / kBlockSize);
      kept += dot(x, y, first % kBlockSize, (last - 1) % kBlockSize + 1);
      if (last % kBlockSize == 0) {
        sum = add_scaled(sum, kept, x.exponent + y.exponent - kBias);
        kept = 0;
      }
    }
  }
  return sum;
}

RC_GTEST_PROP(BlockProducts, AreTheSameOnEveryArray, ()) {
  const int depth = between(1, 300);
  const Matrix<Block> a = random_rows(1, depth), b = random_rows(1, depth);
  Matrix<float> sums(1, 1);
  add_products(sums, a, b);
  for (const int lanes : {4, 8, 16, 32}) {
    RC_ASSERT(bits(on_array(lanes, a, b)) == bits(sums.at(0, 0)));
  }
}

RC_GTEST_PROP(BlockProducts, MayBeCutBetweenBlocks, ()) {
  const int depth = between(17, 300), cut = between(1, (depth - 1) / kBlockSize);
  const Matrix<Block> a = random_rows(1, depth), b = random_rows(1, depth);
  const auto part = [](const Matrix<Block>& all, int first, int last) {
    return Matrix<Block>(1, last - first, {all.data.begin() + first, all.data.begin() + last});
  };
  Matrix<float> whole(1, 1), parts(1, 1);
  add_products(whole, a, b);
  add_products(parts, part(a, 0, cut), part(b, 0, cut));
  add_products(parts, part(a, cut, a.columns), part(b, cut, b.columns));
  RC_ASSERT(bits(whole.at(0, 0)) == bits(parts.at(0, 0)));
}

TEST_F(RandomPasses, DoNotDependOnTheRoundingModeOfTheHost) {
  constexpr int kPasses = 3000;
  for (int pass = 0; pass < kPasses; ++pass) {
    const Block a = block(between(100, 150)), b = block(between(100, 150));
    const float sum = start(a, b), expected = add_product(sum, a, b);
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      const float result = add_product(sum, a, b);
      std::fesetround(FE_TONEAREST);
      ASSERT_EQ(bits(result), bits(expected)) << "pass " << pass << ", mode " << mode;
    }
  }
}

// What the contract rules out would be seen: rounding after every four products, or another order.
TEST_F(RandomPasses, InOtherOrdersDiffer) {
  constexpr int kRounds = 1000, kBlocks = 20;
  int by_fours_differ = 0, backwards_differ = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::array<Block, kBlocks> a, b;
    for (Block& one : a) one = block(between(120, 133));
    for (Block& one : b) one = block(between(120, 133));
    float in_order = 0, by_fours = 0, backwards = 0;
    for (std::size_t n = 0; n < kBlocks; ++n) {
      in_order = add_product(in_order, a[n], b[n]);
      for (int first = 0; first < kBlockSize; first += 4) {
        by_fours = add_scaled(by_fours, dot(a[n], b[n], first, first + 4), a[n].exponent + b[n].exponent - kBias);
      }
      backwards = add_product(backwards, a[kBlocks - 1 - n], b[kBlocks - 1 - n]);
    }
    by_fours_differ += static_cast<int>(by_fours != in_order);
    backwards_differ += static_cast<int>(backwards != in_order);
  }
  EXPECT_GT(by_fours_differ, kRounds / 10);
  EXPECT_GT(backwards_differ, kRounds / 10);
}

RC_GTEST_PROP(BlockProducts, OfATransposedTileAreThoseOfTheAlignedOne, ()) {
  const Matrix<Block> rows = random_rows(kBlockSize, kBlockSize), other = random_rows(1, kBlockSize);
  BlockTile tile;
  std::copy(rows.data.begin(), rows.data.end(), tile.begin());
  const BlockTile turned = transposed(tile), flat = aligned(tile);
  for (int n = 0; n < kBlockSize; ++n) {
    std::int32_t products = 0;
    for (std::size_t row = 0; row < tile.size(); ++row) {
      products += flat[row].mantissas[std::size_t(n)] * other.at(0, 0).mantissas[row];
    }
    const float expected = to_binary32(products, flat[0].exponent + other.at(0, 0).exponent - kBias);
    RC_ASSERT(bits(add_product(0, turned[std::size_t(n)], other.at(0, 0))) == bits(expected));
  }
}

}  // namespace
}  // namespace systole::golden::test
