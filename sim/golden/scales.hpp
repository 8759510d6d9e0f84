// SPDX-License-Identifier: Apache-2.0
//
// Integer parameters from the float32 scales of a TensorFlow Lite file, with the order of operations and the precision
// of its reference kernels; another order differs in the last bit of a multiplier for some scales.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "elementwise.hpp"
#include "pooling.hpp"
#include "systole/requantize.hpp"

namespace systole::golden {

// real = scale * (quantized - zero_point)
struct UniformQuantization {
  float scale = 1.0F;
  std::int32_t zero_point = 0;
};

// CONV_2D, DEPTHWISE_CONV_2D: double(input) * double(weight) / double(output), per channel.
std::vector<QuantParam> convolution_scales(float input, const std::vector<float>& weights, float output);

// FULLY_CONNECTED, one scale for all outputs: the two scales are multiplied in float32.
QuantParam dense_scale(float input, float weights, float output);

// LiteRT's FULLY_CONNECTED: double(input) * double(weight) / double(output), per channel, as real numbers.
std::vector<double> real_scales(float input, const std::vector<float>& weights, float output);

// clamp(round(sum * scale) + zero_point), ties away from zero: the definition of a requantization by a real number.
std::int8_t requantize_once(std::int32_t sum, double scale, std::int32_t zero_point, const Clamp& clamp);

// The factor that gives the same for every sum with Rounding::kSingle; none if no neighbour of the scale does.
std::optional<QuantParam> exact_factor(double scale, std::int32_t zero_point, const Clamp& clamp);

// ONNX's QLinear operators: input * weight / output, all in float32, per channel; for Rounding::kEven.
std::vector<QuantParam> float_scales(float input, const std::vector<float>& weights, float output);

// ADD and SUB: scales are divided in double.
AddParams add_params(const UniformQuantization& lhs, const UniformQuantization& rhs, const UniformQuantization& output,
                     const Clamp& clamp = {});
MultiplyParams multiply_params(const UniformQuantization& lhs, const UniformQuantization& rhs,
                               const UniformQuantization& output, const Clamp& clamp = {});

// The range of int8 values that the activation leaves, in the output's quantization.
Clamp activation_clamp(Activation activation, const UniformQuantization& output);

}  // namespace systole::golden
