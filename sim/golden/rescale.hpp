// SPDX-License-Identifier: Apache-2.0
//
// Requantization, and functions and means that need only that: each result is clamp(round((x - input zero point) *
// scale) + output zero point).
#pragma once

#include "elementwise.hpp"
#include "scales.hpp"
#include "tensor.hpp"

namespace systole::golden {

struct RescaleParams {
  std::int32_t input_zero_point = 0;
  QuantParam scale;
  std::int32_t output_zero_point = 0;
  Clamp clamp;
  Rounding rounding = Rounding::kDouble;
};

// QUANTIZE from integers, and RELU by its clamp: the scale is double(input) / double(output).
RescaleParams rescale_params(const UniformQuantization& input, const UniformQuantization& output,
                             const Clamp& clamp = {});

// The scale of RELU6, RELU_N1_TO_1, LEAKY_RELU and ABS: the quotient is rounded to float32.
QuantParam float32_scale(float input_scale, float output_scale);

// RELU6 and RELU_N1_TO_1 by their clamp, with float32_scale().
RescaleParams float32_rescale_params(const UniformQuantization& input, const UniformQuantization& output,
                                     const Clamp& clamp = {});
Tensor8 rescale(const Tensor8& input, const RescaleParams& params);

// LEAKY_RELU: negative values have a scale of their own. That of a negative alpha is positive, and the product is
// negated after it has been rounded.
struct LeakyReluScales {
  QuantParam above, below;
  int sign = 1;  ///< of alpha
};
LeakyReluScales leaky_relu_scales(float input_scale, float output_scale, float alpha);
LookupTable leaky_relu_table(const UniformQuantization& input, const UniformQuantization& output, float alpha);

// The scale of a mean of `count` elements (at least 1, else InvalidArgument): the multiplier of rescale_params
// divided by the count, with as many bits as fit.
QuantParam mean_scale(const QuantParam& scale, std::int64_t count);

// MEAN and SUM of rows: sums[i] = sum over count elements of the raw input, in 32 bits. The mean's scale is
// mean_scale().
enum class Summary { kSum, kMean };
std::vector<std::int8_t> summarize(const std::vector<std::int32_t>& sums, std::int64_t count,
                                   const RescaleParams& params, Summary summary);

}  // namespace systole::golden
