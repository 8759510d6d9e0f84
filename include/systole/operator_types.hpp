// SPDX-License-Identifier: Apache-2.0
// Parameters of operators, and tensors on the host: types shared by the operators of the device
// (systole/operators.hpp), the golden model (systole/golden.hpp) and graphs (systole/graph.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "systole/requantize.hpp"

namespace systole {

/// Activation function that is fused into an operator: limits the result to a range of real values.
enum class Activation { kNone, kRelu, kRelu6, kReluN1To1 };

/// The rounding of averages that are half-way between two values.
enum class Ties {
  kAwayFromZero,  ///< for int8
  kUp,            ///< for uint8, whose values are larger by 128 and never negative
};

/// Conversion of int32 sums to int8: requantize(sum + bias, scale, zero_point, clamp_min, clamp_max, rounding).
struct Requantize {
  /// One for all output channels, or one per channel.
  std::vector<QuantParam> scale = std::vector<QuantParam>(1, QuantParam{1 << 30, 1});
  int zero_point = 0;                             ///< -128 .. 127
  std::int8_t clamp_min = -128, clamp_max = 127;  ///< clamp_min <= clamp_max
  Rounding rounding = Rounding::kDouble;
};

/// Window of a convolution or pool. Kernel, stride and dilation are 1 .. 255, the padding of each side is at least 0.
struct Window {
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
};

struct ConvOptions {
  Window window;
  int groups = 1;            ///< must divide the numbers of input and output channels
  int input_zero_point = 0;  ///< -128 .. 127; also the value of padding
};

/// A tensor on the host, dense NHWC.
template <class Element>
struct HostTensor {
  int batch = 1, height = 1, width = 1, channels = 1;
  std::vector<Element> data;
};
using HostTensor8 = HostTensor<std::int8_t>;
using HostTensor32 = HostTensor<std::int32_t>;

/// Parameters of element-wise operators, whose operands are (x - zero_point) * scale.
struct AddParams {
  int lhs_zero_point = 0, rhs_zero_point = 0, output_zero_point = 0;
  QuantParam lhs_scale, rhs_scale;  ///< with shift <= 0; applied to the operand times 2^20
  QuantParam output_scale;
  std::int8_t clamp_min = -128, clamp_max = 127;
  Rounding rounding = Rounding::kDouble;
};
struct MultiplyParams {
  int lhs_zero_point = 0, rhs_zero_point = 0, output_zero_point = 0;
  QuantParam output_scale;
  std::int8_t clamp_min = -128, clamp_max = 127;
  Rounding rounding = Rounding::kDouble;
};

}  // namespace systole
