// SPDX-License-Identifier: Apache-2.0
//
// Element-wise operators on 16-bit tensors with zero point 0, as in TensorFlow Lite's reference kernels. Operands have
// the same number of elements.
#pragma once

#include <cstdint>
#include <vector>

#include "rescale.hpp"
#include "wide.hpp"

namespace systole::golden {

using Elements16 = std::vector<std::int16_t>;

// ADD, SUB and SQUARED_DIFFERENCE: the operands are scaled up by 2^left_shift and rescaled to a common scale by factors
// below 1; their sum, difference or squared difference is requantized.
struct PairParams16 {
  int left_shift = 0;
  QuantParam lhs_scale;
  QuantParam rhs_scale;
  QuantParam output_scale;
  Clamp16 clamp;
};
PairParams16 add_params16(float lhs, float rhs, float output, const Clamp16& clamp = {});  // of SUB, too
PairParams16 squared_difference_params16(float lhs, float rhs, float output);

Elements16 add16(const Elements16& lhs, const Elements16& rhs, const PairParams16& params);
Elements16 subtract16(const Elements16& lhs, const Elements16& rhs, const PairParams16& params);
Elements16 squared_difference16(const Elements16& lhs, const Elements16& rhs, const PairParams16& params);

// MUL: the product requantized by lhs * rhs / output.
Elements16 multiply16(const Elements16& lhs, const Elements16& rhs, const QuantParam& scale, const Clamp16& clamp = {});

// Each element times the scale.
Elements16 rescale16(const Elements16& input, const QuantParam& scale, const Clamp16& clamp = {});

// LEAKY_RELU: negative elements are multiplied by alpha.
Elements16 leaky_relu16(const Elements16& input, float input_scale, float output_scale, float alpha);

// PRELU: negative elements are multiplied by their own int8 slope, minus the slopes' zero point.
Elements16 prelu16(const Elements16& input, const std::vector<std::int8_t>& slopes, float input_scale,
                   const UniformQuantization& slope, float output_scale);

// MEAN and SUM of rows: sums[i] is the sum of `count` elements, and wraps to 32 bits. Scales as in rescale.hpp.
Elements16 summarize16(const std::vector<std::int64_t>& sums, std::int64_t count, float input_scale, float output_scale,
                       Summary summary);

}  // namespace systole::golden
