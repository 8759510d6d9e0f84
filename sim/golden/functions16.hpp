// SPDX-License-Identifier: Apache-2.0
//
// Functions of 16-bit elements by interpolation in tables, as in TensorFlow Lite's reference kernels
// (integer_ops/logistic.h and tanh.h, softmax.h, kernels/internal/common.h). The tables are computed here.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "tensor.hpp"

namespace systole::golden {

// 65536 / (1 + exp(-i / 24)). Each point lies halfway between the function and where the line to the next point would
// intersect the function at the midpoint; the last one is the largest number.
const std::array<std::uint16_t, 256>& sigmoid_points();

// Rescales an element to the table's scale: multiplied, shifted right, rounded.
struct PointScale {
  std::int32_t multiplier = 0;
  int shift = 0;
};
// For an input of this scale; powers of two that suit the table are exact. Throws InvalidArgument for a scale
// above 5, whose products with 16-bit elements do not fit 32 bits.
PointScale logistic_scale(float input_scale);
PointScale tanh_scale(float input_scale);
// For an input of scale 2^exponent, -40 .. 2.
PointScale tanh_scale_of_power(int exponent);

// The result has scale 2^-15.
std::int16_t logistic16(std::int16_t value, const PointScale& scale);
std::int16_t tanh16(std::int16_t value, const PointScale& scale);

// A function at 512 steps of -32768 .. 32767 and at the end, between which SOFTMAX interpolates: exp(x) for x from -10
// to 0, and 1 / (1 + x) for x from 0 to 1. Results have scale 2^-15.
using Steps = std::array<std::int16_t, 513>;
const Steps& exponential_steps();
const Steps& reciprocal_steps();

// SOFTMAX of rows of `depth` elements: exp of the difference to the maximum, for differences down to -10, and the
// reciprocal of the sum, both from tables of 513 points. The result has scale 2^-15. At most 65536 elements a row, else
// InvalidArgument.
std::vector<std::int16_t> softmax16(const std::vector<std::int16_t>& input, std::size_t depth, float input_scale,
                                    float beta);

}  // namespace systole::golden
