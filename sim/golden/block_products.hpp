// SPDX-License-Identifier: Apache-2.0
// Products of block floating point, added up in binary32: the contract is block_float.md.
#pragma once

#include "block_float.hpp"

namespace systole::golden {

/// The products of two blocks are added exactly, as integers, and their sum to `sum`, rounded once (`add_scaled`). A
/// NaN, 0x7fc00000, if one of the three is.
float add_product(float sum, const Block& a, const Block& b);

/// Adds to each sum the products of a row of `a` and a row of `b`, block after block in ascending order: sums are
/// a.rows x b.rows. Rows of `a` are positions, rows of `b` output channels. A reduction may be cut anywhere between
/// blocks and continued. Throws InvalidArgument where shapes do not fit.
void add_products(Matrix<float>& sums, const Matrix<Block>& a, const Matrix<Block>& b);

}  // namespace systole::golden
