// SPDX-License-Identifier: Apache-2.0
// CONV in block floating point, and blocks that kernels store, against the golden model.
#include <bit>
#include <cmath>
#include <vector>

#include "block_products.hpp"
#include "block_sum.hpp"
#include "model_bench.hpp"
#include "scaled_integer.hpp"
#include "seed.hpp"
#include "systole/conv_tiles.hpp"
#include "systole/kernel_sequencer.hpp"
#include "whole_configurations.hpp"

namespace systole {
namespace {

using golden::Block;

class BlockConv : public testing::TestWithParam<Configuration> {
 protected:
  test::Bench bench_{GetParam(), test::seed()};

  /// Exponents that meet often, with corners.
  std::uint8_t exponent() {
    const int kind = bench_.uniform(0, 60);
    return static_cast<std::uint8_t>(kind == 0 ? 255 : kind == 1 ? 254 : kind == 2 ? 0 : bench_.uniform(120, 140));
  }

  Block random_block() {
    Block block;
    block.exponent = exponent();
    for (auto& mantissa : block.mantissas) mantissa = bench_.byte();
    return block;
  }

  /// The channels [16 * block, ...) of a position: rows of `planes`, `plane_stride` apart.
  void put_activation(int act_row, int plane_stride, int position, int block, const Block& value, int blocks) {
    const Configuration& c = bench_.configuration();
    for (int k = 0; k < kBlockElements; ++k) {
      const int channel = block * kBlockElements + k, plane = channel / c.dim;
      if (plane >= blocks) continue;
      const auto row = static_cast<std::uint16_t>(act_row + plane * plane_stride + position);
      bench_.state().scratch(row)[channel % c.dim] = value.mantissas[static_cast<std::size_t>(k)];
      bench_.state().exponent(row, channel % c.dim / c.block_lanes()) = value.exponent;
    }
  }
};

float bits_of(std::int32_t word) { return std::bit_cast<float>(word); }

TEST_P(BlockConv, AgreesWithGolden) {
  const Configuration& c = GetParam();
  for (int round = 0; round < 12; ++round) {
    bench_.machine.use_fast_paths(round % 2 == 0);
    isa::Conv op;
    op.block_float = 1;
    op.accumulate = round % 3 == 0;
    op.kernel_h = static_cast<std::uint8_t>(bench_.uniform(1, 2));
    op.kernel_w = static_cast<std::uint8_t>(bench_.uniform(1, 2));
    op.blocks = static_cast<std::uint16_t>(bench_.uniform(1, c.dim < 16 ? 5 : 2));
    op.in_height = static_cast<std::uint16_t>(bench_.uniform(2, 4));
    op.row_stride = op.in_width = static_cast<std::uint16_t>(bench_.uniform(2, 4));
    op.plane_stride = static_cast<std::uint16_t>(op.in_height * op.in_width);
    op.stride_h = static_cast<std::uint8_t>(bench_.uniform(1, 2));
    op.stride_w = static_cast<std::uint8_t>(bench_.uniform(1, 2));
    op.y0 = static_cast<std::int16_t>(bench_.uniform(-1, 0));
    op.x0 = static_cast<std::int16_t>(bench_.uniform(-1, 0));
    op.out_height = static_cast<std::uint16_t>(bench_.uniform(1, 3));
    op.out_width = static_cast<std::uint16_t>(bench_.uniform(1, 3));
    op.act_row = static_cast<std::uint16_t>(bench_.uniform(0, 100));
    op.weight_row = static_cast<std::uint16_t>(bench_.uniform(0, c.weight_rows - 1));  // the ring wraps
    op.acc_row = 5;

    const int positions = op.in_height * op.in_width;
    const int blocks = (op.blocks * c.dim + kBlockElements - 1) / kBlockElements;
    golden::Matrix<Block> activations(positions, blocks);
    for (int p = 0; p < positions; ++p)
      for (int b = 0; b < blocks; ++b) {
        Block block = random_block();
        for (int k = 0; k < kBlockElements; ++k)  // channels that the command does not have
          if (b * kBlockElements + k >= op.blocks * c.dim) block.mantissas[static_cast<std::size_t>(k)] = 0;
        put_activation(op.act_row, op.plane_stride, p, b, block, op.blocks);
        activations.at(p, b) = block;
      }
    const int taps = op.kernel_h * op.kernel_w;
    golden::Matrix<Block> weights(c.dim, taps * blocks);  // output channel; tap, block
    const ConvTiles tiles = tiles_of(op, c);
    for (auto& block : weights.data) block = random_block();
    for (std::int64_t tile = 0; tile < tiles.count; ++tile) {
      const int tap = static_cast<int>(tile / tiles.halves / op.blocks);
      const int channel = static_cast<int>(tile % (tiles.halves * op.blocks)) * tiles.channels;
      for (int n = 0; n < c.dim; ++n) {
        const Block& block = weights.at(n, tap * blocks + channel / kBlockElements);
        for (int k = 0; k < tiles.channels; ++k)
          bench_.state().weight(op.weight_row + tile * tiles.rows + k)[n] =
              block.mantissas[static_cast<std::size_t>(channel % kBlockElements + k)];
        bench_.state().weight(op.weight_row + tile * tiles.rows + tiles.channels)[n] =
            static_cast<std::int8_t>(block.exponent);
      }
    }
    std::vector<float> expected;
    for (int p = 0; p < op.out_height * op.out_width; ++p)
      for (int n = 0; n < c.dim; ++n) {
        std::int32_t& word = bench_.state().accumulator(op.acc_row + p)[n];
        word = std::bit_cast<std::int32_t>(std::ldexp(static_cast<float>(bench_.uniform(-99999, 99999)), -8));
        float sum = op.accumulate != 0 ? bits_of(word) : 0.0F;
        for (int tap = 0; tap < taps; ++tap)
          for (int b = 0; b < blocks; ++b) {
            const int y = op.y0 + p / op.out_width * op.stride_h + tap / op.kernel_w;
            const int x = op.x0 + p % op.out_width * op.stride_w + tap % op.kernel_w;
            const bool inside = y >= 0 && y < op.in_height && x >= 0 && x < op.in_width;
            sum = golden::add_product(sum, inside ? activations.at(y * op.in_width + x, b) : Block{},
                                      weights.at(n, tap * blocks + b));
          }
        expected.push_back(sum);
      }
    bench_.execute(op);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const int p = static_cast<int>(i) / c.dim, n = static_cast<int>(i) % c.dim;
      ASSERT_EQ(bench_.state().accumulator(op.acc_row + p)[n], std::bit_cast<std::int32_t>(expected[i]))
          << "round " << round << ", position " << p << ", column " << n << ": " << expected[i] << ", not "
          << bits_of(bench_.state().accumulator(op.acc_row + p)[n]);
    }
  }
}

/// Every corner of the contract with every other, and 100,000 random sums whose addends meet.
TEST(BlockSum, AgreesWithGolden) {
  std::mt19937_64 random(test::seed());
  const auto pick = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  const auto expect_same = [](float sum, std::int32_t products, int act_exponent, int weight_exponent) {
    const bool nan = act_exponent == golden::kNanExponent || weight_exponent == golden::kNanExponent;
    const float golden = nan ? std::numeric_limits<float>::quiet_NaN()
                             : golden::add_scaled(sum, products, act_exponent + weight_exponent - 266);
    const float model = model::add_block(sum, products, static_cast<std::uint8_t>(act_exponent),
                                         static_cast<std::uint8_t>(weight_exponent));
    ASSERT_EQ(std::bit_cast<std::uint32_t>(model), std::bit_cast<std::uint32_t>(golden))
        << sum << " + " << products << " * 2^(" << act_exponent << " + " << weight_exponent << " - 266)";
  };
  for (const std::uint32_t word :
       {0x0U, 0x1U, 0x7fffffU, 0x800000U, 0x800001U, 0xffffffU, 0x3f800000U, 0x3f800001U, 0x4b7fffffU, 0x4b800000U,
        0x7effffffU, 0x7f000000U, 0x7f7fffffU, 0x7f800000U, 0x7f800001U, 0x7fc00000U}) {
    for (const std::int32_t products : {0, 1, 3, 127, 4097, 131071, 262143, 262144}) {
      for (const int sign : {-1, 1}) {
        for (int exponents = 0; exponents <= 510; ++exponents) {
          const int act = std::min(exponents, 255);
          for (const std::uint32_t negative : {0U, 0x80000000U})
            ASSERT_NO_FATAL_FAILURE(
                expect_same(std::bit_cast<float>(word | negative), sign * products, act, exponents - act));
        }
      }
    }
  }
  for (int round = 0; round < 100000; ++round) {
    const auto word = static_cast<std::uint32_t>(random());
    const int bits = pick(0, 18), act = pick(100, 160);
    const int near = static_cast<int>(word >> 23 & 255) - 127 + 266 - act - bits + pick(-28, 28);
    ASSERT_NO_FATAL_FAILURE(
        expect_same(std::bit_cast<float>(word), pick(-(1 << bits), 1 << bits), act, std::clamp(near, 0, 255)));
  }
}

/// Rows of blocks must have exponents.
TEST_P(BlockConv, RowsOfExponentsHaveNone) {
  isa::Conv op;
  op.block_float = 1;
  op.blocks = op.in_height = op.in_width = op.out_height = op.out_width = 1;
  op.kernel_h = op.kernel_w = op.stride_h = op.stride_w = op.dilation_h = op.dilation_w = 1;
  op.act_row = static_cast<std::uint16_t>(GetParam().scratch_rows);
  for (const bool fast : {true, false}) {
    bench_.machine.reset();
    bench_.machine.use_fast_paths(fast);
    EXPECT_EQ(bench_.machine.execute(op.encode()), model::Machine::Outcome::kError);
    EXPECT_EQ(bench_.machine.error().code, isa::ErrorCode::kScratchRange);
    EXPECT_EQ(bench_.machine.error().address, op.act_row);
    op.block_float = 0;
    bench_.machine.reset();
    bench_.execute(op);  // as integers they may be used
    op.block_float = 1;
  }
}

/// Rows of binary32 in accumulators, stored as blocks. With fewer than 16 lanes neighbouring rows make a block.
TEST_P(BlockConv, KernelsStoreBlocks) {
  const Configuration& c = GetParam();
  const auto kernel =
      kernel::assemble("kernel k(from, to, count)\nvector v\nrows count\nmove v, acc[from]\nmove blocks[to], v\nend\n");
  bench_.put_kernel(0, kernel.words);
  const int of_block = kBlockElements / c.block_lanes();
  for (int round = 0; round < 200; ++round) {
    const int rows = bench_.uniform(1, kernel::kStripRows), to = bench_.uniform(0, c.scratch_rows - 8);
    for (int row = 0; row < rows; ++row)
      for (int n = 0; n < c.dim; ++n) {
        const int kind = bench_.uniform(0, 400);
        const float value = kind == 0   ? std::numeric_limits<float>::infinity()
                            : kind == 1 ? std::numeric_limits<float>::quiet_NaN()
                            : kind < 20 ? 0.0F
                            : kind < 30 ? 1e-40F
                                        : std::ldexp(static_cast<float>(bench_.word()), bench_.uniform(-12, 0));
        bench_.state().accumulator(row)[n] = std::bit_cast<std::int32_t>(value);
      }
    isa::Vector op;
    op.arg0 = 0;
    op.arg1 = static_cast<std::uint32_t>(to);
    op.arg2 = static_cast<std::uint32_t>(rows);
    bench_.execute(op);
    for (int row = 0; row < rows; ++row)
      for (int lane = 0; lane < c.dim; lane += c.block_lanes()) {
        std::array<float, kBlockElements> values{};
        const int first = row - row % of_block;
        for (int k = 0; k < kBlockElements; ++k)
          if (const int other = first + k / c.block_lanes(); other < rows)
            values[static_cast<std::size_t>(k)] =
                bits_of(bench_.state().accumulator(other)[lane + k % c.block_lanes()]);
        golden::ConversionCounts counts;
        const Block block = golden::to_block(values, counts);
        const auto at = static_cast<std::uint16_t>(to + row);
        ASSERT_EQ(bench_.state().exponent(at, lane / c.block_lanes()), block.exponent) << "round " << round;
        for (int k = 0; k < c.block_lanes(); ++k)
          ASSERT_EQ(bench_.state().scratch(at)[lane + k],
                    block.mantissas[static_cast<std::size_t>((row - first) * c.block_lanes() + k)])
              << "round " << round << ", row " << row << ", lane " << lane + k;
      }
  }
}

/// Elements of blocks as binary32, every mantissa with every exponent.
TEST_P(BlockConv, KernelsLoadBlocks) {
  const Configuration& c = GetParam();
  const auto kernel = kernel::assemble("kernel k(from, to)\nvector v\nmove v, blocks[from]\nmove acc[to], v\nend\n");
  bench_.put_kernel(0, kernel.words);
  isa::Vector op;
  op.arg0 = 32;
  op.arg1 = 3;
  for (int round = 0; round < 256 * 256 / (kernel::kStripRows * c.dim); ++round) {
    const auto number = [&](int row, int lane) { return (round * kernel::kStripRows + row) * c.dim + lane; };
    for (int row = 0; row < kernel::kStripRows; ++row)
      for (int lane = 0; lane < c.dim; ++lane) {
        const auto at = static_cast<std::uint16_t>(32 + row);
        bench_.state().scratch(at)[lane] = static_cast<std::int8_t>(number(row, lane));
        bench_.state().exponent(at, lane / c.block_lanes()) = static_cast<std::uint8_t>(number(row, 0) / 256);
      }
    bench_.execute(op);
    for (int row = 0; row < kernel::kStripRows; ++row)
      for (int lane = 0; lane < c.dim; ++lane) {
        Block block;
        block.mantissas[0] = static_cast<std::int8_t>(number(row, lane));
        block.exponent = static_cast<std::uint8_t>(number(row, 0) / 256);
        ASSERT_EQ(bench_.state().accumulator(3 + row)[lane], std::bit_cast<std::int32_t>(golden::to_floats(block)[0]))
            << int{block.mantissas[0]} << " with " << int{block.exponent};
      }
  }
}

INSTANTIATE_TEST_SUITE_P(All, BlockConv, testing::ValuesIn(test::whole_configurations()), test::ConfigurationName());

}  // namespace
}  // namespace systole
