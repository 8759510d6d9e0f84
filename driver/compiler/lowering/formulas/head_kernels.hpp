// SPDX-License-Identifier: Apache-2.0
// Kernels between the heads of an attention and whole positions, for a few rows on an array of DIM lanes: sources of
// them. `elements` are those of a row, which fill whole rows of lanes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole::network {

/// The format of the result, for kernels that support both.
enum class Result { kWords, kBlocks };

/// Each of the `groups` rows, which lie side by side in the only position of a, times each of the `factors` rows of b:
/// group after group.
std::string products_of_rows(int dim, std::int64_t elements, int groups, int factors);

/// x * b + exchanged x * c, all in one position, where neighbouring parts of `part` elements are exchanged; x is a
/// times the number in the first lane of d. A part is whole rows of lanes, and the pairs of parts are at most the rows
/// of a strip.
std::string rotated_row(int dim, std::int64_t elements, std::int64_t part);

/// The products of rows as above, of e, of a row that is rotated so. Each group is a pair of parts.
std::string products_of_rotated(int dim, std::int64_t part, int groups, int factors);

/// Column number `column` of a, times b times the number in the first lane of c; b is one row of `elements`.
std::string outer_rows(int dim, std::int64_t elements, std::int64_t column);

/// Columns of rows, of which one row gives some neighbouring columns, the next one those that follow.
struct PickedRows {
  int groups = 1, rows = 1;       ///< groups of rows; each makes as many columns as a row has, side by side
  std::int64_t elements = 1;      ///< columns of a row
  std::vector<std::int64_t> end;  ///< of each row of a group: behind the last column that it gives
};
/// Those of a + b.
std::string picked_sums(int dim, const PickedRows& picked, Result result);

}  // namespace systole::network
