// SPDX-License-Identifier: Apache-2.0
//
// Further arithmetic of TensorFlow Lite's reference kernels on int8: element by element, operands of equal
// shape, with one quantization each; and running sums.
#pragma once

#include <vector>

#include "elementwise.hpp"
#include "pooling.hpp"
#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

// ABS: the scales are divided in float32; equal ones are not applied at all.
LookupTable abs_table(const Quantization& input, const Quantization& output);

// PRELU: lhs where it is not negative, else lhs * slope.
Tensor8 prelu(const Tensor8& lhs, const Tensor8& slope, const Quantization& lhs_scale, const Quantization& slope_scale,
              const Quantization& output);

// SQUARED_DIFFERENCE: operands, scaled up by 2^7, are brought to a common scale and subtracted.
Tensor8 squared_difference(const Tensor8& lhs, const Tensor8& rhs, const Quantization& lhs_scale,
                           const Quantization& rhs_scale, const Quantization& output);

// DIV: by a reciprocal in fixed point. Throws std::invalid_argument for a divisor of 0, and where the quotient of the
// scales is so large that the kernel's shift would be to the left.
Tensor8 divide(const Tensor8& lhs, const Tensor8& rhs, const Quantization& lhs_scale, const Quantization& rhs_scale,
               const Quantization& output, const Clamp& clamp);

enum class Relation { kEqual, kLess, kLessOrEqual };

// EQUAL, LESS, ...: 1 where the relation holds between the operands, scaled up by 2^8, less their zero points and
// multiplied with their scales, which are below 1 (else std::invalid_argument).
std::vector<std::uint8_t> related(const Tensor8& lhs, const Tensor8& rhs, const Quantization& lhs_scale,
                                  const Quantization& rhs_scale, Relation relation);

// CUMSUM along `width` of a tensor whose channels are what lies behind the axis: as ADD, in steps of 2^-20 of twice the
// input's scale. The kernel begins not at 0 but at minus the input's zero point, and so do we.
Tensor8 cumulative_sum(const Tensor8& input, const Quantization& from, const Quantization& to, bool exclusive,
                       bool reverse);

}  // namespace systole::golden
