// SPDX-License-Identifier: Apache-2.0
#include "window.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/errors.hpp"

namespace systole::golden {
namespace {

int reach(int kernel, int dilation) { return (kernel - 1) * dilation + 1; }

int extent(const char* axis, int input, int kernel, int stride, int dilation, int before, int after) {
  if (kernel < 1 || stride < 1 || dilation < 1 || before < 0 || after < 0) {
    throw InvalidArgument(fmt::format("window {}: kernel {}, stride {}, dilation {}, padding {}+{}", axis, kernel,
                                      stride, dilation, before, after));
  }
  const int free = input + before + after - reach(kernel, dilation);
  if (free < 0) {
    throw InvalidArgument(fmt::format("window {}: a reach of {} does not fit {}+{}+{}", axis, reach(kernel, dilation),
                                      before, input, after));
  }
  return free / stride + 1;
}

int same_padding(int input, int kernel, int stride, int dilation) {
  const int output = (input + stride - 1) / stride;
  return std::max(0, (output - 1) * stride + reach(kernel, dilation) - input);
}

}  // namespace

NhwcShape output_shape(const NhwcShape& input, const Window& w, int channels) {
  return {input.batch, extent("height", input.height, w.kernel_h, w.stride_h, w.dilation_h, w.pad_top, w.pad_bottom),
          extent("width", input.width, w.kernel_w, w.stride_w, w.dilation_w, w.pad_left, w.pad_right), channels};
}

Window with_same_padding(Window window, const NhwcShape& input) {
  const int rows = same_padding(input.height, window.kernel_h, window.stride_h, window.dilation_h);
  const int columns = same_padding(input.width, window.kernel_w, window.stride_w, window.dilation_w);
  window.pad_top = rows / 2;
  window.pad_bottom = rows - rows / 2;
  window.pad_left = columns / 2;
  window.pad_right = columns - columns / 2;
  return window;
}

}  // namespace systole::golden
