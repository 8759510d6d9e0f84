// SPDX-License-Identifier: Apache-2.0
// ONNX images N,C,H,W (also 1-D N,C,L and 3-D N,C,D,H,W) as NHWC, and sliding windows over them.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// N,C,H,W as NHWC; N,C,L as N,1,L,C. Refuses other numbers of dimensions.
TensorId to_image(Translation& t, TensorId channels_first);
/// The inverse, with as many dimensions as the operand had: 3 or 4.
TensorId from_image(Translation& t, TensorId image, std::size_t rank);

/// A sliding window along one dimension.
struct Steps {
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t before = 0, after = 0;
  std::int64_t beyond = 0;  ///< part of `after` that is beyond the padding, for the last window of ceil_mode
};

/// The node's attributes for dimensions of these sizes; all values fit an int. With `ceil`, the last window may lie
/// partly outside.
std::vector<Steps> steps_of(const Translation& t, const Shape& sizes, const std::vector<std::int64_t>& kernel,
                            bool ceil);

/// Combines both directions; a 1-D signal has only `across`.
Window window(const Steps& down, const Steps& across);
Window window(const std::vector<Steps>& steps);

/// Sizes after N and C.
Shape spatial(const Shape& shape);

/// A convolution of N,C and one to three spatial dimensions with weights O,I and the same dimensions; the result has
/// this type and quantization.
struct Convolution {
  TensorId input = kNoTensor, weights = kNoTensor, bias = kNoTensor;
  std::vector<Steps> steps;
  std::int64_t groups = 1;
};
TensorId convolved(Translation& t, const Convolution& conv, ElementType type,
                   const std::optional<Quantization>& quantization = {});

}  // namespace systole::graph::onnx_file
