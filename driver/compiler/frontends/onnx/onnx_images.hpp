// SPDX-License-Identifier: Apache-2.0
// ONNX's images N,C,H,W (and N,C,L, a line, and N,C,D,H,W, a volume) as NHWC, and kernels that slide over them.
#pragma once

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// N,C,H,W as NHWC; N,C,L as N,1,L,C. Refuses other numbers of dimensions.
TensorId to_image(Translation& t, TensorId channels_first);
/// Back, to as many dimensions as the operand had: 3 or 4.
TensorId from_image(Translation& t, TensorId image, std::size_t rank);

/// A kernel along one dimension.
struct Steps {
  std::int64_t kernel = 1, stride = 1, dilation = 1;
  std::int64_t before = 0, after = 0;
};

/// The node's attributes for dimensions of these sizes, all values in ranges that fit an int. With `ceil`, the last
/// window of a row may lie partly outside.
std::vector<Steps> steps_of(const Translation& t, const Shape& sizes, const std::vector<std::int64_t>& kernel,
                            bool ceil);

/// Down and across; a line has the second alone.
Window window(const Steps& down, const Steps& across);
Window window(const std::vector<Steps>& steps);

/// Sizes behind N and C.
Shape spatial(const Shape& shape);

/// A convolution of N,C and one to three dimensions with weights O,I and as many; the result is of this type and
/// quantization.
struct Convolution {
  TensorId input = kNoTensor, weights = kNoTensor, bias = kNoTensor;
  std::vector<Steps> steps;
  std::int64_t groups = 1;
};
TensorId convolved(Translation& t, const Convolution& conv, ElementType type,
                   const std::optional<Quantization>& quantization = {});

}  // namespace systole::graph::onnx_file
