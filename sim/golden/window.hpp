// SPDX-License-Identifier: Apache-2.0
//
// Window geometry, shared by convolution and pooling.
#pragma once

#include "systole/operator_types.hpp"
#include "tensor.hpp"

namespace systole::golden {

// Output height and width over `input`, with the given batch and channel count. Throws
// InvalidArgument when a field is out of range or the kernel does not fit.
NhwcShape output_shape(const NhwcShape& input, const Window& window, int channels);

// Sets the four pads so that the output is ceil(input / stride), with the odd row or column of padding at the bottom
// and right (SAME in TensorFlow, SAME_UPPER in ONNX).
Window with_same_padding(Window window, const NhwcShape& input);

// Input coordinate that kernel tap (kernel_y or kernel_x) reads for an output coordinate; padding if negative or beyond
// the image.
inline int input_y(const Window& w, int out_y, int kernel_y) {
  return out_y * w.stride_h + kernel_y * w.dilation_h - w.pad_top;
}
inline int input_x(const Window& w, int out_x, int kernel_x) {
  return out_x * w.stride_w + kernel_x * w.dilation_w - w.pad_left;
}
inline bool is_inside(const NhwcShape& input, int y, int x) {
  return y >= 0 && y < input.height && x >= 0 && x < input.width;
}

}  // namespace systole::golden
