// SPDX-License-Identifier: Apache-2.0
#include "block_matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "block_products.hpp"
#include "parallel.hpp"
#include "wide_registers.hpp"

namespace systole::graph {
namespace {

constexpr int kFraction = 23, kBias = 127, kMantissaBias = 133;
static_assert(kBlock == golden::kBlockSize);
constexpr int kSumBits = 18;  // of a block's sum of products

std::uint8_t exponent_of(float value) {
  return static_cast<std::uint8_t>(std::bit_cast<std::uint32_t>(value) >> kFraction);
}

/// Rules 4 to 6.
std::uint8_t to_block(const float* values, std::size_t count, float* mantissas) {
  constexpr double kMost = 127;
  std::uint8_t greatest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    greatest = std::max(greatest, exponent_of(values[i]));
  }
  if (greatest != golden::kNanExponent) {
    const double scale = std::ldexp(1.0, kMantissaBias - greatest);
    for (std::size_t i = 0; i < count; ++i) {
      const double value = exponent_of(values[i]) == 0 ? 0.0 : double{values[i]};
      mantissas[i] = static_cast<float>(std::clamp(std::nearbyint(value * scale), -kMost, kMost)) + 0.0F;
    }
  }
  return greatest;
}

SYSTOLE_WIDE void add_tame(const std::array<BlockRun, kTogether>& rows, const float* weights,
                           const std::uint8_t* exponents, std::size_t blocks, BlockSums& sums) {
  for (std::size_t block = 0; block < blocks; ++block) {
    float products[kTogether][kColumns] = {};
    for (std::size_t k = 0; k < kBlock; ++k) {
      const float* line = weights + (block * kBlock + k) * kColumns;
      for (std::size_t r = 0; r < kTogether; ++r) {
        const float x = rows[r].mantissas[block * kBlock + k];
        for (std::size_t c = 0; c < kColumns; ++c) {
          products[r][c] += x * line[c];
        }
      }
    }
    for (std::size_t r = 0; r < kTogether; ++r) {
      const int of_row = rows[r].exponents[block] - 2 * kMantissaBias + kBias;
      for (std::size_t c = 0; c < kColumns; ++c) {
        // The exponent of a block of zeros may be too low; its products are 0.
        const int exponent = std::max(1, of_row + exponents[block * kColumns + c]);
        const auto scale = std::bit_cast<float>(static_cast<std::uint32_t>(exponent) << kFraction);
        sums[r][c] += products[r][c] * scale;
      }
    }
  }
}

}  // namespace

void ExponentRange::add(std::uint8_t exponent) {
  least = exponent == 0 ? least : std::min<int>(least, exponent);
  greatest = std::max<int>(greatest, exponent);
}

BlockRows::BlockRows(const float* values, std::size_t count, std::size_t depth, std::size_t pitch)
    : blocks((depth + kBlock - 1) / kBlock), mantissas(count * blocks * kBlock), exponents(count * blocks) {
  golden::parallel_ranges(count, blocks * kBlock * kBlock, [&](std::size_t row, std::size_t last) {
    for (; row < last; ++row) {
      for (std::size_t block = 0; block < blocks; ++block) {
        const std::size_t at = row * blocks + block;
        exponents[at] = to_block(values + row * pitch + block * kBlock, std::min(kBlock, depth - block * kBlock),
                                 mantissas.data() + at * kBlock);
      }
    }
  });
  std::for_each(exponents.begin(), exponents.end(), [&](std::uint8_t exponent) { range.add(exponent); });
}

BlockColumns::BlockColumns(const BlockRows& rows)
    : blocks(rows.blocks), columns(rows.exponents.size() / rows.blocks), range(rows.range) {
  const std::size_t groups = (columns + kColumns - 1) / kColumns;
  mantissas.resize(groups * blocks * kBlock * kColumns);
  exponents.resize(groups * blocks * kColumns);
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t group = column / kColumns, lane = column % kColumns;
    for (std::size_t block = 0; block < blocks; ++block) {
      exponents[(group * blocks + block) * kColumns + lane] = rows.exponents[column * blocks + block];
    }
    for (std::size_t k = 0; k < blocks * kBlock; ++k) {
      mantissas[(group * blocks * kBlock + k) * kColumns + lane] = rows.mantissas[column * blocks * kBlock + k];
    }
  }
}

bool is_tame(const ExponentRange& a, const ExponentRange& b, std::size_t blocks) {
  // Sums are multiples of the least power of two, and no greater than all products together.
  const int most = a.greatest + b.greatest - 2 * kMantissaBias + kSumBits + std::bit_width(blocks);
  return a.greatest != golden::kNanExponent && b.greatest != golden::kNanExponent && most < kBias &&
         a.least + b.least - 2 * kMantissaBias > -kBias;
}

void add_products(const std::array<BlockRun, kTogether>& rows, const BlockColumns& columns, std::size_t group,
                  std::size_t first, std::size_t blocks, bool tame, BlockSums& sums) {
  const std::size_t at = group * columns.blocks + first;
  const float* weights = columns.mantissas.data() + at * kBlock * kColumns;
  const std::uint8_t* exponents = columns.exponents.data() + at * kColumns;
  if (tame) {
    add_tame(rows, weights, exponents, blocks, sums);
    return;
  }
  for (std::size_t r = 0; r < kTogether; ++r) {
    for (std::size_t c = 0; c < kColumns; ++c) {
      for (std::size_t block = 0; block < blocks; ++block) {
        golden::Block a{{}, rows[r].exponents[block]}, b{{}, exponents[block * kColumns + c]};
        for (std::size_t k = 0; k < kBlock; ++k) {
          a.mantissas[k] = static_cast<std::int8_t>(rows[r].mantissas[block * kBlock + k]);
          b.mantissas[k] = static_cast<std::int8_t>(weights[(block * kBlock + k) * kColumns + c]);
        }
        sums[r][c] = golden::add_product(sums[r][c], a, b);
      }
    }
  }
}

}  // namespace systole::graph
