// SPDX-License-Identifier: Apache-2.0
//
// Operators that TensorFlow Lite's reference kernels compute with a fixed-point reciprocal square root.
#pragma once

#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

// 1 / sqrt(value) as a multiplier and a shift, by five Newton steps in Q3.28; 1 for values up to 1.
QuantParam inverse_square_root(std::int32_t value);

// RSQRT: the largest value for an input equal to its zero point. Throws InvalidArgument for a lower input.
Tensor8 rsqrt(const Tensor8& input, const UniformQuantization& from, const UniformQuantization& to);

// L2_NORMALIZATION along the innermost dimension: x / sqrt(sum of x^2). The result has scale 1/128 and zero point 0.
// The sum of squares is below 2^31 for up to 33,025 elements; longer rows throw InvalidArgument.
Tensor8 l2_normalize(const Tensor8& input, std::int32_t zero_point);

}  // namespace systole::golden
