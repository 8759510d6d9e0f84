// SPDX-License-Identifier: Apache-2.0
// Parameters of operators and tensors on the host: what the operators of the device (systole/operators.hpp), the golden
// model (systole/golden.hpp) and graphs (systole/graph.hpp) have in common.
#pragma once

#include <cstdint>
#include <vector>

#include "systole/requantize.hpp"

namespace systole {

/// Applied to the result within the operator: a range of real values.
enum class Activation { kNone, kRelu, kRelu6, kReluN1To1 };

/// Where averages half-way between two values go.
enum class Ties {
  kAwayFromZero,  ///< int8
  kUp,            ///< uint8, whose values are 128 more and never negative
};

/// How int32 sums become int8: requantize(sum + bias, scale, zero_point, clamp_min, clamp_max, rounding).
struct Requantize {
  std::vector<QuantParam> scale = {{1 << 30, 1}};  ///< one for all output channels, or one each
  int zero_point = 0;                              ///< -128 .. 127
  std::int8_t clamp_min = -128, clamp_max = 127;   ///< clamp_min <= clamp_max
  Rounding rounding = Rounding::kDouble;
};

/// Window of a kernel over an image. Kernel, stride and dilation 1 .. 255, padding at least 0; each side has its own.
struct Window {
  int kernel_h = 1, kernel_w = 1;
  int stride_h = 1, stride_w = 1;
  int dilation_h = 1, dilation_w = 1;
  int pad_top = 0, pad_bottom = 0, pad_left = 0, pad_right = 0;
};

struct ConvOptions {
  Window window;
  int groups = 1;            ///< divides input and output channels
  int input_zero_point = 0;  ///< -128 .. 127, of the input; read also where the kernel lies outside the image
};

/// A tensor on the host.
template <class Element>
struct HostTensor {
  int batch = 1, height = 1, width = 1, channels = 1;
  std::vector<Element> data;
};
using HostTensor8 = HostTensor<std::int8_t>;
using HostTensor32 = HostTensor<std::int32_t>;

/// Element-wise operands: (x - zero_point) of each, scaled.
struct AddParams {
  int lhs_zero_point = 0, rhs_zero_point = 0, output_zero_point = 0;
  QuantParam lhs_scale, rhs_scale;  ///< shift <= 0: applied to the operand times 2^20
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
