// SPDX-License-Identifier: Apache-2.0
//
// Layer normalization of int8 with statistics in binary32: within 1 of the real result, and defined bit by bit, so that
// every device computes the same.
#pragma once

#include <cstdint>
#include <vector>

#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

// For so many elements, count * (sum of squares) - sum^2 is below 2^31: count^2 times the variance as an integer.
constexpr int kMostElementsOfExactVariance = 362;

// The constants in steps of the operands' scales, as binary32; subnormal numbers are zeros. With an exact variance
// gamma is multiplied by the number of elements, epsilon by its square.
struct LayerNormParams {
  std::vector<float> gamma, beta;  // divided by the result's scale; beta includes its zero point
  float epsilon = 0;               // divided by the square of the input's scale
};

// gamma and beta have the same number of elements, at most 33,025: the sum of the squares is below 2^31. Throws
// InvalidArgument for other numbers, values that are not finite, and a negative epsilon.
LayerNormParams layer_norm_params(const std::vector<float>& gamma, const std::vector<float>& beta, float epsilon,
                                  float input_scale, const UniformQuantization& output);

// (x - mean) / sqrt(variance + epsilon) * gamma + beta along the innermost dimension. Sums are exact; then every
// operation rounds once, in this order: the mean; the exact variance, or the mean of the squared differences from the
// nearest integer to the mean, less the square of the mean of those differences; epsilon; the reciprocal root by two of
// Newton's steps from 0x5f3759df; the difference, times the root, times gamma, plus beta; to int8, ties to even.
Tensor8 layer_norm(const Tensor8& input, const LayerNormParams& params);

}  // namespace systole::golden
