// SPDX-License-Identifier: Apache-2.0
#include "max_pool_gradient.hpp"

#include <algorithm>
#include <limits>

#include "spread.hpp"

namespace systole::training {
namespace {

/// Elements that an axis of the padded image needs behind the image, so that every window is complete.
std::int64_t behind(std::int64_t image, std::int64_t positions, int stride, int kernel, int dilation, int before) {
  return std::max<std::int64_t>(0, (positions - 1) * stride + std::int64_t{kernel - 1} * dilation + 1 - before - image);
}

}  // namespace

TensorId max_pool_gradient(GraphBuilder& w, const Window& window, TensorId pooled, TensorId maxima, TensorId gradient) {
  const Shape image = w.shape(pooled), output = w.shape(maxima);
  const std::int64_t below =
      behind(image[1], output[1], window.stride_h, window.kernel_h, window.dilation_h, window.pad_top);
  const std::int64_t right =
      behind(image[2], output[2], window.stride_w, window.kernel_w, window.dilation_w, window.pad_left);
  const TensorId padded = w.pad(pooled, {0, window.pad_top, window.pad_left, 0}, {0, below, right, 0},
                                double{std::numeric_limits<float>::lowest()});
  TapSum sum(w, window, image, output);
  TensorId left = gradient;  // the gradient, where no tap so far has had it
  const TensorId zero = w.scalar(gradient, 0);
  for (int ky = 0; ky < window.kernel_h; ++ky) {
    for (int kx = 0; kx < window.kernel_w; ++kx) {
      const TensorId tap = w.slice(padded, {0, ky * window.dilation_h, kx * window.dilation_w, 0},
                                   {1, window.stride_h, window.stride_w, 1}, output);
      const TensorId is_it = w.binary(graph::BinaryKind::kEqual, tap, maxima);
      sum.add(ky, kx, w.select(is_it, left, zero));
      if (ky + 1 < window.kernel_h || kx + 1 < window.kernel_w) {
        left = w.select(is_it, zero, left);
      }
    }
  }
  return sum.result();
}

}  // namespace systole::training
