// SPDX-License-Identifier: Apache-2.0
// Products of block floating point, as sim/golden/block_float.md has them, at the speed of binary32: a block's sum of
// products is an integer below 2^24, so that binary32 adds it up exactly.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace systole::graph {

constexpr std::size_t kBlock = 16;    ///< elements of a block
constexpr std::size_t kColumns = 16;  ///< columns that are multiplied at once
constexpr std::size_t kTogether = 4;  ///< rows that are multiplied at once

/// The least exponent of a block that is not zero, and the greatest of all.
struct ExponentRange {
  int least = 255, greatest = 0;
  void add(std::uint8_t exponent);
};

/// Rows of blocks; the mantissas are integers.
struct BlockRows {
  std::size_t blocks = 0;  ///< of a row
  std::vector<float> mantissas;
  std::vector<std::uint8_t> exponents;
  ExponentRange range;

  /// `count` rows of `depth` elements, `pitch` apart. The last block of a row is filled with zeros.
  BlockRows(const float* values, std::size_t count, std::size_t depth, std::size_t pitch);
};

/// Columns of blocks, in groups of kColumns: for each group its blocks, for each block its elements, all columns of an
/// element side by side.
struct BlockColumns {
  std::size_t blocks = 0, columns = 0;
  std::vector<float> mantissas;
  std::vector<std::uint8_t> exponents;
  ExponentRange range;

  /// The columns are rows of blocks.
  explicit BlockColumns(const BlockRows& rows);
};

/// Some blocks of a row that follow each other.
struct BlockRun {
  const float* mantissas;
  const std::uint8_t* exponents;
};

/// Sums of one group of columns for kTogether rows.
using BlockSums = std::array<std::array<float, kColumns>, kTogether>;

/// Whether no sum of `blocks` products of such operands is subnormal, infinite or not a number on its way.
bool is_tame(const ExponentRange& a, const ExponentRange& b, std::size_t blocks);

/// Adds products of `blocks` blocks of each row and the blocks [first, first + blocks) of a group of columns, block
/// after block. If not `tame`, by the rules for zeros, infinities and NaNs.
void add_products(const std::array<BlockRun, kTogether>& rows, const BlockColumns& columns, std::size_t group,
                  std::size_t first, std::size_t blocks, bool tame, BlockSums& sums);

}  // namespace systole::graph
