// SPDX-License-Identifier: Apache-2.0
// Conversion to blocks and back, and tiles: corners, and random values against arithmetic of binary64.
#include "block_float.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "block_tile.hpp"
#include "random_tensors.hpp"
#include "seed.hpp"

namespace systole::golden::test {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr std::uint32_t kNan = 0x7fc00000;
constexpr int kGreatestExponent = 254, kBias = 133;

using Values = std::array<float, kBlockSize>;

std::uint32_t bits(float a) { return std::bit_cast<std::uint32_t>(a); }
float number(std::uint32_t word) { return std::bit_cast<float>(word); }

Block block_of(const Values& values) {
  ConversionCounts counts;
  return to_block(values, counts);
}

/// In binary64: scaling by a power of two is exact there, and std::nearbyint rounds ties to even.
Block expected_block(const Values& values, ConversionCounts& counts) {
  Block block;
  bool finite = true;
  double greatest = 0;
  for (const float value : values) {
    counts.non_finite += std::isfinite(value) ? 0 : 1;
    finite = finite && std::isfinite(value);
    greatest = std::max(greatest, std::isnormal(value) ? std::fabs(double{value}) : 0);
  }
  if (!finite) {
    block.exponent = kNanExponent;
    return block;
  }
  const int exponent = greatest == 0 ? 0 : std::ilogb(greatest) + 127;
  block.exponent = static_cast<std::uint8_t>(exponent);
  for (std::size_t n = 0; n < values.size(); ++n) {
    const double value = std::isnormal(values[n]) ? double{values[n]} : 0;
    const double rounded = std::nearbyint(std::ldexp(value, kBias - exponent));
    counts.flushed += rounded == 0 && values[n] != 0 ? 1 : 0;
    counts.clamped += std::fabs(rounded) > 127 ? 1 : 0;
    block.mantissas[n] = static_cast<std::int8_t>(std::min(std::max(rounded, -127.0), 127.0));
  }
  return block;
}

TEST(BlockFloat, EveryExponentIsTheGreatestFieldOfTheBlock) {
  for (int field = 1; field <= kGreatestExponent; ++field) {
    const float power = number(static_cast<std::uint32_t>(field) << 23);
    const Block block = block_of({power / 2, -power, 1.5F * power, number(1)});
    EXPECT_EQ(block.exponent, field);
    EXPECT_EQ(block.mantissas[0], field == 1 ? 0 : 32) << field;  // half of the least number is subnormal
    EXPECT_EQ(block.mantissas[1], -64);
    EXPECT_EQ(block.mantissas[2], 96);
    EXPECT_EQ(block.mantissas[3], 0);
  }
}

TEST(BlockFloat, TiesAreRoundedToEvenAndMantissasEndAt127) {
  ConversionCounts counts;
  const Block block =
      to_block({64, 2.5F, 3.5F, -2.5F, -3.5F, 0.5F, -0.5F, 0.50001F, 1.5F, 127.49F, 127.5F, -127.999F, 126.5F}, counts);
  const Block expected = {{64, 2, 4, -2, -4, 0, 0, 1, 2, 127, 127, -127, 126}, kBias};
  EXPECT_EQ(block, expected);
  EXPECT_EQ(counts.clamped, 2U);
  EXPECT_EQ(counts.flushed, 2U);
  EXPECT_EQ(counts.non_finite, 0U);
}

TEST(BlockFloat, ZerosAndSubnormalsAreZerosWithoutSign) {
  ConversionCounts counts;
  EXPECT_EQ(to_block({0.0F, -0.0F}, counts), Block{});
  EXPECT_EQ(counts.flushed, 0U);
  EXPECT_EQ(to_block({number(0x007fffff), number(0x80000001)}, counts), Block{});
  EXPECT_EQ(counts.flushed, 2U);
  for (const float value : to_floats(block_of({-0.0F, 1, -1e-6F}))) {
    EXPECT_TRUE(value == 1 || bits(value) == 0U);
  }
}

TEST(BlockFloat, ANonFiniteElementMakesTheBlockNan) {
  for (const float odd : {kInfinite, -kInfinite, number(0x7f800001), number(0xffc12345)}) {
    ConversionCounts counts;
    const Block block = to_block({1, odd, 1e-20F, kInfinite}, counts);
    EXPECT_EQ(block, (Block{{}, kNanExponent}));
    EXPECT_EQ(counts.non_finite, 2U);
    EXPECT_EQ(counts.flushed, 0U);
    for (const float value : to_floats(block)) EXPECT_EQ(bits(value), kNan);
  }
}

TEST(BlockFloat, FloatsOfBlocksAreExactOrZeroBelowTheNormalNumbers) {
  for (int exponent = 0; exponent <= kGreatestExponent; ++exponent) {
    for (int mantissa = -128; mantissa <= 127; ++mantissa) {
      const double exact = std::ldexp(mantissa, exponent - kBias);
      const bool below = std::fabs(exact) < 0x1p-126;
      const Block block = {{static_cast<std::int8_t>(mantissa)}, static_cast<std::uint8_t>(exponent)};
      ASSERT_EQ(bits(to_floats(block)[0]), bits(below ? 0.0F : static_cast<float>(exact))) << exponent;
    }
  }
  EXPECT_EQ(to_floats({{-128}, kGreatestExponent})[0], -kInfinite);
}

TEST(BlockFloat, BlocksOfMxInt8KeepTheirValues) {
  std::array<std::int8_t, kMxInt8Size> elements{};
  for (int n = 0; n < kMxInt8Size; ++n) elements[std::size_t(n)] = static_cast<std::int8_t>(n * 8 - 128);
  for (const std::uint8_t scale : {std::uint8_t{10}, std::uint8_t{127}, std::uint8_t{250}}) {
    const auto halves = from_mxint8(elements, scale);
    for (int n = 0; n < kMxInt8Size; ++n) {
      const double value = std::ldexp(elements[std::size_t(n)], -6) * std::ldexp(1.0, scale - 127);
      EXPECT_EQ(to_floats(halves[std::size_t(n / kBlockSize)])[std::size_t(n % kBlockSize)], value);
    }
  }
  EXPECT_TRUE(std::isnan(to_floats(from_mxint8(elements, 255)[1])[0]));
}

TEST(BlockFloat, RowsAreFilledWithZeros) {
  ConversionCounts counts;
  const Matrix<Block> blocks = to_blocks(Matrix<float>(2, 17, std::vector<float>(34, 3.0F)), counts);
  EXPECT_EQ(blocks.rows, 2);
  EXPECT_EQ(blocks.columns, 2);
  EXPECT_EQ(blocks.at(1, 1), (Block{{96}, 128}));
  EXPECT_EQ(counts.flushed, 0U);
}

TEST(BlockFloat, RandomBlocksAreThoseOfTheDefinition) {
  std::mt19937_64 random(systole::test::seed());
  constexpr int kBlocks = 100000;
  for (int round = 0; round < kBlocks; ++round) {
    const auto top = static_cast<std::uint32_t>(random() % 256), spread = static_cast<std::uint32_t>(random() % 24 + 1);
    Values values{};
    for (float& value : values) {
      const std::uint32_t field = top - std::min(top, static_cast<std::uint32_t>(random()) % spread);
      // Few bits of the fraction, so that ties are frequent.
      const auto fraction = static_cast<std::uint32_t>(random()) & (random() % 2 == 0 ? 0x7fffffU : 0x7f0000U);
      value = number(static_cast<std::uint32_t>(random() % 2) << 31 | field << 23 | fraction);
    }
    ConversionCounts counts, expected;
    ASSERT_EQ(to_block(values, counts), expected_block(values, expected)) << "round " << round;
    ASSERT_EQ(counts.flushed, top == 255 && counts.non_finite > 0 ? 0 : expected.flushed) << "round " << round;
    ASSERT_EQ(counts.clamped, expected.clamped) << "round " << round;
    ASSERT_EQ(counts.non_finite, expected.non_finite) << "round " << round;
  }
}

/// A block as conversion leaves it, with exponents whose mantissas are all numbers of binary32.
Block random_block(int low, int high) {
  Values values{};
  for (float& value : values) value = std::ldexp(static_cast<float>(between(-4000, 4000)), between(-30, 0));
  const int exponent = between(low, high);
  Block block = block_of(values);
  block.exponent = static_cast<std::uint8_t>(exponent);
  return block;
}

RC_GTEST_PROP(BlockFloat, ConversionOfABlockGivesTheBlock, ()) {
  Block block = random_block(7, kGreatestExponent);
  block.mantissas[std::size_t(between(0, 15))] = static_cast<std::int8_t>(between(64, 127));
  RC_ASSERT(block_of(to_floats(block)) == block);
}

BlockTile random_tile() {
  BlockTile tile;
  const int high = between(30, kGreatestExponent);
  for (Block& block : tile) block = random_block(high - between(0, 9), high);
  return tile;
}

RC_GTEST_PROP(BlockTile, IsAlignedToItsGreatestExponent, ()) {
  const BlockTile tile = random_tile(), result = aligned(tile);
  int greatest = 0;
  for (const Block& block : tile) greatest = std::max<int>(greatest, block.exponent);
  for (std::size_t row = 0; row < tile.size(); ++row) {
    RC_ASSERT(result[row].exponent == greatest);
    for (std::size_t n = 0; n < tile.size(); ++n) {
      const double exact = std::ldexp(tile[row].mantissas[n], tile[row].exponent - greatest);
      RC_ASSERT(result[row].mantissas[n] == std::nearbyint(exact));
    }
  }
}

RC_GTEST_PROP(BlockTile, TransposedTwiceIsAligned, ()) {
  const BlockTile tile = random_tile(), once = transposed(tile);
  const BlockTile back = aligned(tile);
  RC_ASSERT(transposed(once) == back);
  for (std::size_t row = 0; row < tile.size(); ++row) {
    for (std::size_t n = 0; n < tile.size(); ++n) RC_ASSERT(once[n].mantissas[row] == back[row].mantissas[n]);
  }
}

TEST(BlockTile, AlignmentRoundsTiesToEvenAndLosesWhatIsFarBelow) {
  BlockTile tile{};
  tile[0] = {{127, -128}, 200};
  tile[1] = {{1, 2, 3, 5, -1, -3, 127, -127}, 199};
  tile[2] = {{127, -127, -128}, 193};
  tile[3] = {{127, -128, 127}, 192};
  tile[4] = {{127, -128, 127}, 0};
  const BlockTile result = aligned(tile);
  EXPECT_EQ(result[0], tile[0]);
  EXPECT_EQ(result[1], (Block{{0, 1, 2, 2, 0, -2, 64, -64}, 200}));
  EXPECT_EQ(result[2], (Block{{1, -1, -1}, 200}));
  EXPECT_EQ(result[3], (Block{{0, 0, 0}, 200}));  // 128 / 2^8 is a tie
  EXPECT_EQ(result[4], (Block{{}, 200}));
  EXPECT_EQ(transposed(tile)[0], (Block{{127, 0, 1}, 200}));
  tile[7] = {{1, 2, 3}, kNanExponent};
  tile[8] = {{100}, kGreatestExponent};
  for (const Block& block : transposed(tile)) EXPECT_EQ(block, (Block{{}, kNanExponent}));
}

}  // namespace
}  // namespace systole::golden::test
