// SPDX-License-Identifier: Apache-2.0
// Dot products in double, several at a time. Each is summed in the order of its depth, so the result equals that of a
// plain loop bit for bit; SIMD works on adjacent columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace systole::graph {

inline constexpr std::size_t kLanes = 8;

/// A matrix of `depth` rows as blocks of kLanes columns; the lanes of a row are contiguous in a block. Missing columns
/// of the last block are zero.
class ColumnBlocks {
 public:
  /// at(k, column) returns the elements.
  template <class At>
  ColumnBlocks(std::size_t depth, std::size_t columns, At at)
      : depth_(depth), columns_(columns), data_((columns + kLanes - 1) / kLanes * kLanes * depth) {
    for (std::size_t c = 0; c < columns; ++c) {
      double* to = data_.data() + c / kLanes * depth * kLanes + c % kLanes;
      for (std::size_t k = 0; k < depth; ++k) {
        to[k * kLanes] = at(k, c);
      }
    }
  }
  std::size_t depth() const { return depth_; }
  std::size_t blocks() const { return (columns_ + kLanes - 1) / kLanes; }
  /// Number of columns of a block.
  std::size_t lanes(std::size_t block) const { return std::min(kLanes, columns_ - block * kLanes); }
  /// Elements of row k and following.
  const double* at(std::size_t block, std::size_t k = 0) const { return data_.data() + (block * depth_ + k) * kLanes; }

 private:
  std::size_t depth_, columns_;
  std::vector<double> data_;
};

inline constexpr std::size_t kRows = 4;  ///< at a time: their sums fit the registers

/// sums[r][l] += rows[r][k] * block[k][l] for k = 0 .. depth - 1, in this order, for r = 0 .. count - 1; count is at
/// most kRows.
void add_products(const double* const* rows, std::size_t count, const double* block, std::size_t depth,
                  double (*sums)[kLanes]);

}  // namespace systole::graph
