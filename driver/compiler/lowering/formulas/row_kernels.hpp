// SPDX-License-Identifier: Apache-2.0
// Kernels of the rules in sim/golden/binary32_rows.hpp, made for rows of a number of elements
// on an array of DIM lanes: sources of them.
#pragma once

#include <cstdint>
#include <string>

namespace systole::network {

/// What a kernel that can make both makes.
enum class Result { kWords, kBlocks };

enum class Summands {
  kNone,
  kRows,     ///< b, whose rows may be one that is repeated
  kRowsLast  ///< and of the last element of each row c, the first lane of its rows
};
/// The softmax of a and what is added to it; c times `factor` first.
std::string softmax_rows(int dim, std::int64_t elements, Summands summands, float factor = 1);

/// The mean of each row of a, or of a * b, whose rows may be one that is repeated.
std::string mean_rows(int dim, std::int64_t elements, bool has_factor);

/// a * near_reciprocal_root(mean of a^2 + epsilon) * b; b is one row.
std::string normalize_rows(int dim, std::int64_t elements, float epsilon);

/// The near_reciprocal_root(mean of a^2 + epsilon) of each row.
std::string root_rows(int dim, std::int64_t elements, float epsilon);

/// root_rows() of a single row, whose planes are the rows of a strip, where DIM is at least 16; see fits_strip().
std::string root_of_row(int dim, std::int64_t elements, float epsilon);

/// normalize_rows() of a single row, whose planes are the rows of a strip; fits_strip() says whether they can be.
std::string normalize_row(int dim, std::int64_t elements, float epsilon, Result result);
bool fits_strip(int dim, std::int64_t elements);

/// a * b of a single row, whose planes are the rows of strips; all lanes have elements.
std::string product_of_row(int dim, std::int64_t elements, Result result);

}  // namespace systole::network
