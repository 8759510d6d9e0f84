// SPDX-License-Identifier: Apache-2.0
// Functions of whole rows in binary32 that go with products in block floating point: short on the vector processor,
// with the same bits for every size of the array. Each step is one of binary32.hpp.
#pragma once

#include <cstddef>
#include <vector>

namespace systole::golden::binary32 {

/// The sum: numbers that are 32 apart are added from the first to the last, beginning at +0, then these 32 sums in
/// pairs, neighbours first, then neighbouring sums.
float sum_of_row(const float* row, std::size_t count);

/// Times 1 / count, which is rounded.
float mean_of_row(const float* row, std::size_t count);

/// 1 / a by three steps of Newton's method, within 2 units in the last place, of numbers between 2^-120 and 2^120.
float near_reciprocal(float a);

/// 1 / sqrt(a) by three steps of Newton's method, within 3 units in the last place, of numbers from 2^-120 on.
float near_reciprocal_root(float a);

/// 1 / (1 + exp(-a)) with near_reciprocal(), and exp of 80 at most.
float near_sigmoid(float a);

/// exp(row - its greatest) times the near_reciprocal() of their sum, in place.
void softmax_of_row(float* row, std::size_t count);

}  // namespace systole::golden::binary32
