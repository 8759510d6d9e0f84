// SPDX-License-Identifier: Apache-2.0
// Pools. The gradient of a maximum goes to the first element of the window that equals it; that of an average to all.
#include <algorithm>

#include "max_pool_gradient.hpp"
#include "rules.hpp"
#include "spread.hpp"

namespace systole::training {
namespace {

/// 1 / the number of elements that each position averages.
TensorId shares(GraphBuilder& w, TensorId like, const graph::Pool& op, const Shape& image, const Shape& output) {
  const Window& s = op.window;
  const auto inside = [](std::int64_t at, int stride, int kernel, int dilation, int before, std::int64_t size) {
    int there = 0;
    for (int k = 0; k < kernel; ++k) {
      const std::int64_t from = at * stride + std::int64_t{k} * dilation - before;
      there += from >= 0 && from < size ? 1 : 0;
    }
    return there;
  };
  std::vector<double> values;
  for (std::int64_t y = 0; y < output[1]; ++y) {
    for (std::int64_t x = 0; x < output[2]; ++x) {
      const int rows =
          op.count_padding ? s.kernel_h : inside(y, s.stride_h, s.kernel_h, s.dilation_h, s.pad_top, image[1]);
      const int columns =
          op.count_padding ? s.kernel_w : inside(x, s.stride_w, s.kernel_w, s.dilation_w, s.pad_left, image[2]);
      values.push_back(1.0 / (double{1} * rows * columns));
    }
  }
  const bool same = std::all_of(values.begin(), values.end(), [&](double value) { return value == values[0]; });
  return same ? w.scalar(like, values[0]) : w.numbers(like, {1, output[1], output[2], 1}, values);
}

void average(const Backward& b, const graph::Pool& op, TensorId g) {
  const Shape image = b.input_shape(0), output = b.w.shape(b.output());
  const TensorId share = b.w.multiply(g, shares(b.w, g, op, image, output));
  TapSum sum(b.w, op.window, image, output);
  for (int ky = 0; ky < op.window.kernel_h; ++ky) {
    for (int kx = 0; kx < op.window.kernel_w; ++kx) {
      sum.add(ky, kx, share);
    }
  }
  b.give(0, sum.result());
}

}  // namespace

void differentiate(const Backward& b, const graph::Pool& op) {
  if (op.kind == graph::PoolKind::kMax) {
    b.give(0, max_pool_gradient(b.w, op.window, b.input(0), b.output(), b.before(op.activation)));
  } else {
    average(b, op, b.before(op.activation));
  }
}

}  // namespace systole::training
