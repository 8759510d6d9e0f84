// SPDX-License-Identifier: Apache-2.0
//
// 16-bit activations: zero points are 0, weights have 8 bits, and accumulators 64 bits, which are requantized to 16
// with a multiplier truncated to 15 bits, as in TensorFlow Lite's reference kernels.
//
// Values that cannot be computed exactly throw InvalidArgument, naming the value.
#pragma once

#include <cstdint>
#include <vector>

#include "convolution.hpp"
#include "pooling.hpp"
#include "scales.hpp"
#include "systole/requantize.hpp"
#include "tensor.hpp"

namespace systole::golden {

// The range of int16 values that the activation allows.
Clamp16 activation_clamp16(Activation activation, float output_scale);

inline std::int16_t clamp_to(const Clamp16& clamp, std::int64_t value) {
  return static_cast<std::int16_t>(value < clamp.min ? clamp.min : value > clamp.max ? clamp.max : value);
}
inline std::int16_t saturate_to_int16(std::int64_t value) { return clamp_to({}, value); }

// sum * scale, rounded once, ties toward plus infinity: MultiplyByQuantizedMultiplier of 64 bits
// (kernels/internal/common.h). The sum is within 2^47, the scale below 2^14; the result wraps to int32.
std::int32_t rescale_wide(std::int64_t sum, const QuantParam& scale);

// int64 bias per output channel, within 2^47; empty means none.
using WideBias = std::vector<std::int64_t>;
void check(const WideBias& bias);

// The sums of a convolution (convolution.hpp) with symmetric input and weights.
Tensor64 conv2d_wide(const Tensor16& input, const Tensor8& weights, const WideBias& bias,
                     const Convolution& convolution);

// The sum over k of a[k] * b[k].
template <class A, class B>
std::int64_t dot(const A* a, const B* b, std::size_t depth) {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < depth; ++k) {
    sum += std::int64_t{a[k]} * b[k];
  }
  return sum;
}

// Output stage. Convolutions with a 32-bit bias accumulate in 32 bits, which wrap, and use all 31 bits of the
// multiplier.
struct OutputStage16 {
  std::vector<QuantParam> scale;  // one for all channels, or one per output channel
  Clamp16 clamp;
  bool narrow = false;  // 32-bit accumulators
};

// The innermost dimension, of `channels`, is the output channel.
std::vector<std::int16_t> apply(const OutputStage16& stage, const std::vector<std::int64_t>& sums,
                                std::size_t channels);

}  // namespace systole::golden
