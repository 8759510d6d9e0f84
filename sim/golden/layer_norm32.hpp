// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization of binary32, defined bit by bit, so that every device computes the same: its sums are those of
// integers, which depend neither on an order nor on the number of lanes.
#pragma once

#include <cstddef>

namespace systole::golden {

// More elements have no rule.
constexpr std::size_t kMostElementsOfLayerNorm32 = 1 << 14;

// Bits of an integer, so that the sum of `count` of them fits 32 bits with a sign.
int layer_norm32_bits(std::size_t count);

// to = (x - mean) / sqrt(variance + epsilon) * gamma + beta, of `count` elements each, by the steps of
// binary32.hpp, each of which rounds once:
//
// 1. With E the exponent field of the greatest magnitude, B = layer_norm32_bits(count): every x is multiplied by
//    2^(B - 1 - (E - 127)) and becomes an integer, ties to even. Their sum, as binary32, times the inverse power, times
//    1 / count, is the mean.
// 2. The differences x - mean are scaled in the same way, with half of B, and squared. A square becomes an integer, and
//    what that leaves, times 2^B, another one. The sum of the integers, plus 2^-B times that of the others, times the
//    inverse power twice, times 1 / count, is the variance.
// 3. The inverse root of variance + epsilon is found by three of Newton's steps from 0x5f3759df.
// 4. The difference, times the root, times gamma, plus beta.
//
// Powers are 2^-126 to 2^126. If a number is not finite, or no difference is, all results are NaN. Mean and variance
// are within 2^-21 of the greatest magnitude, and of itself, for up to 512 elements.
void layer_norm32(const float* x, float* to, std::size_t count, const float* gamma, const float* beta, float epsilon);

}  // namespace systole::golden
