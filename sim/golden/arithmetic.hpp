// SPDX-License-Identifier: Apache-2.0
//
// More arithmetic of TensorFlow Lite's reference kernels on int8: element-wise, operands of equal shape, each with one
// quantization; and cumulative sums.
#pragma once

#include <vector>

#include "elementwise.hpp"
#include "pooling.hpp"
#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

// ABS: the scales are divided in float32; equal scales are not applied at all.
LookupTable abs_table(const UniformQuantization& input, const UniformQuantization& output);

// PRELU: lhs if it is not negative, otherwise lhs * slope.
Tensor8 prelu(const Tensor8& lhs, const Tensor8& slope, const UniformQuantization& lhs_scale,
              const UniformQuantization& slope_scale, const UniformQuantization& output);

// SQUARED_DIFFERENCE: operands are scaled up by 2^7, rescaled to a common scale and subtracted.
Tensor8 squared_difference(const Tensor8& lhs, const Tensor8& rhs, const UniformQuantization& lhs_scale,
                           const UniformQuantization& rhs_scale, const UniformQuantization& output);

// DIV: by a fixed-point reciprocal. Throws InvalidArgument for a divisor of 0, and if the quotient of the scales
// is so large that the kernel would shift left.
Tensor8 divide(const Tensor8& lhs, const Tensor8& rhs, const UniformQuantization& lhs_scale,
               const UniformQuantization& rhs_scale, const UniformQuantization& output, const Clamp& clamp);

enum class Relation { kEqual, kLess, kLessOrEqual };

// EQUAL, LESS, ...: 1 if the relation holds. The operands minus their zero points are scaled up by 2^8 and multiplied
// by their scales, which must be below 1 (else InvalidArgument).
std::vector<std::uint8_t> related(const Tensor8& lhs, const Tensor8& rhs, const UniformQuantization& lhs_scale,
                                  const UniformQuantization& rhs_scale, Relation relation);

// CUMSUM along `width` of a tensor whose channels are the dimensions after the axis: as ADD, in steps of 2^-20 of twice
// the input's scale. As in the kernel, the sum starts not at 0 but at minus the input's zero point.
Tensor8 cumulative_sum(const Tensor8& input, const UniformQuantization& from, const UniformQuantization& to,
                       bool exclusive, bool reverse);
// Of such steps to the result's.
QuantParam cumulative_sum_scale(const UniformQuantization& from, const UniformQuantization& to);

}  // namespace systole::golden
