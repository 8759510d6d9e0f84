// SPDX-License-Identifier: Apache-2.0
// Functions of whole rows in binary32 that go with products in block floating point: short on the vector processor,
// with the same bits for every size of the array. Each step is one of binary32.hpp.
#pragma once

#include <cstddef>
#include <vector>

namespace systole::golden::binary32 {

constexpr int kSumsOfRow = 32, kSumsOfLongRow = 256;

/// The sum: numbers that are `apart` are added from the first to the last, beginning at +0, then these sums in pairs,
/// neighbours first, then neighbouring sums. `apart` is a power of two.
float sum_of_row(const float* row, std::size_t count, int apart = kSumsOfRow);

/// Times 1 / count, which is rounded.
float mean_of_row(const float* row, std::size_t count);

/// 1 / a by three steps of Newton's method, within 2 units in the last place, of numbers between 2^-120 and 2^120.
float near_reciprocal(float a);

/// 1 / sqrt(a) by three steps of Newton's method, within 2.2 units in the last place, of numbers from 2^-120 on.
float near_reciprocal_root(float a);

/// sqrt(a) within 5e-6 of it, of numbers from 2^-120 to 2^120; below, and at 0, it is at most 2^-60.
float near_root(float a);

/// a / b within 3 units in the last place, for b between 2^-120 and 2^120.
float near_quotient(float a, float b);

/// exp(a) within 2^-17 of it, of numbers up to 88: two to the power of an integer, times a polynomial of what is left
/// of a / log(2), the minimax one of degree 4 that is 1 at 0. Below 2^-126 the result is 0 or subnormal, which counts
/// as 0.
float near_exponential(float a);

/// 1 / (1 + near_exponential(-a)) with near_reciprocal(), and the exponential of 80 at most.
float near_sigmoid(float a);

/// near_exponential(row - its greatest) times the near_reciprocal() of their sum, in place.
void softmax_of_row(float* row, std::size_t count);

/// Shorter and longer rows have another rule: those leave many lanes without work, these do not fit a core.
constexpr std::size_t kLeastElementsOfStrictSoftmax = 24, kMostElementsOfStrictSoftmax = 8192;
/// The sums of a strict softmax: those of a long row from 1025 elements on.
constexpr int sums_of_strict_softmax(std::size_t count) { return count > 1024 ? kSumsOfLongRow : kSumsOfRow; }
/// binary32::exponential(row - its greatest) times 1 / their sum, in place.
void strict_softmax_of_row(float* row, std::size_t count);

}  // namespace systole::golden::binary32
