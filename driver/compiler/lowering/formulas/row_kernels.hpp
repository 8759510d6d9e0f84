// SPDX-License-Identifier: Apache-2.0
// Kernels of a single row, whose planes are the rows of strips: sources of them, for a number of elements on an array
// of DIM lanes, by the rules of sim/golden/binary32_rows.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace systole::network {

/// What a kernel that can make both makes.
enum class Result { kWords, kBlocks };

/// root_rows() of a single row, whose planes are the rows of a strip, where DIM is at least 16; see fits_strip().
std::string root_of_row(int dim, std::int64_t elements, float epsilon);

/// normalize_rows() of a single row, whose planes are the rows of a strip; fits_strip() says whether they can be.
std::string normalize_row(int dim, std::int64_t elements, float epsilon, Result result);
bool fits_strip(int dim, std::int64_t elements);

/// a * b of a single row, whose planes are the rows of strips; all lanes have elements.
std::string product_of_row(int dim, std::int64_t elements, Result result);

}  // namespace systole::network
