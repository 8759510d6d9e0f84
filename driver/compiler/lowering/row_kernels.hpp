// SPDX-License-Identifier: Apache-2.0
// Kernels of the rules in sim/golden/binary32_rows.hpp, made for rows of a number of elements
// on an array of DIM lanes: sources of them.
#pragma once

#include <cstdint>
#include <string>

namespace systole::network {

/// The softmax of a, or of a + b, whose rows may be one that is repeated.
std::string softmax_rows(int dim, std::int64_t elements, bool has_summand);

/// The mean of each row.
std::string mean_rows(int dim, std::int64_t elements);

/// a * near_reciprocal_root(mean of a^2 + epsilon) * b; b is one row.
std::string normalize_rows(int dim, std::int64_t elements, float epsilon);

}  // namespace systole::network
