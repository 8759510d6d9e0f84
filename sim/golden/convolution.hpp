// SPDX-License-Identifier: Apache-2.0
//
// Two-dimensional convolution of NHWC tensors. Before the output stage,
//
//   out[n][y][x][o] = bias[o] + sum over ky, kx, i of
//       (input[n][y*sy + ky*dy - top][x*sx + kx*dx - left][g*I + i] - input_zero_point)
//       * (weights[o][ky][kx][i] - weight_zero_point)
//
// wrapped to int32. Weights are OHWI: shape {O, kernel height, kernel width, I}, where I is the
// number of input channels of one group and g = o / (O / groups). Elements outside the image read
// as the input zero point and so add nothing.
#pragma once

#include <cstdint>

#include "output_stage.hpp"
#include "tensor.hpp"
#include "window.hpp"

namespace systole::golden {

struct Convolution {
  Window window;  // the kernel size must be that of the weights
  int groups = 1;
  std::int32_t input_zero_point = 0;
  std::int32_t weight_zero_point = 0;
};

Tensor32 conv2d_raw(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& convolution);
Tensor8 conv2d(const Tensor8& input, const Tensor8& weights, const Bias& bias, const Convolution& convolution,
               const Requantize& stage);

// TensorFlow Lite stores depthwise weights as {1, kernel height, kernel width, O}. This returns the same filter as OHWI
// with I = 1; the convolution then has as many groups as input channels.
Tensor8 depthwise_to_ohwi(const Tensor8& weights);

// As for a matrix (matmul.hpp), one bias value per output channel: convolving the raw input with the folded bias is
// exact if elements outside the image read as the input zero point.
Bias fold_input_zero_point(const Tensor8& weights, const Bias& bias, std::int32_t input_zero_point);

}  // namespace systole::golden
