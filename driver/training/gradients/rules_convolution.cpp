// SPDX-License-Identifier: Apache-2.0
// The gradients of a convolution are convolutions. That of the weights: each channel of the input is an image whose
// channels are the samples, each channel of the result's gradient is a kernel as large as the result, stride and
// dilation change places. That of the input: zeros are inserted for the stride, the kernel is turned by 180 degrees,
// and its inputs and outputs change places. Groups are groups of both.
#include <algorithm>

#include "rules.hpp"
#include "spread.hpp"

namespace systole::training {
namespace {

/// Padding of an image before and after; negative numbers remove.
struct Border {
  std::int64_t top, bottom, left, right;
};

/// A convolution whose window has this border; what is negative is removed from the image before.
TensorId convolve(GraphBuilder& w, TensorId image, TensorId weights, Window window, int groups, const Border& border) {
  const auto removed = [](std::int64_t amount) { return std::min<std::int64_t>(amount, 0); };
  const auto added = [](std::int64_t amount) { return static_cast<int>(std::max<std::int64_t>(amount, 0)); };
  const TensorId cut = w.pad(image, {0, removed(border.top), removed(border.left), 0},
                             {0, removed(border.bottom), removed(border.right), 0});
  window.kernel_h = static_cast<int>(w.shape(weights)[1]);
  window.kernel_w = static_cast<int>(w.shape(weights)[2]);
  window.pad_top = added(border.top);
  window.pad_bottom = added(border.bottom);
  window.pad_left = added(border.left);
  window.pad_right = added(border.right);
  return w.append(graph::Conv2d{window, groups, Activation::kNone}, {cut, weights});
}

/// Each sample's channels become each channel's samples, within a group: [N,H,W,G*C] to [C,H,W,G*N].
TensorId by_channel(GraphBuilder& w, TensorId x, std::int64_t groups) {
  const Shape s = w.shape(x);
  if (groups == 1) {
    return w.transpose(x, {3, 1, 2, 0});
  }
  const TensorId grouped = w.reshape(x, {s[0], s[1], s[2], groups, s[3] / groups});
  return w.reshape(w.transpose(grouped, {4, 1, 2, 3, 0}), {s[3] / groups, s[1], s[2], groups * s[0]});
}

TensorId of_weights(const Backward& b, const graph::Conv2d& op, TensorId g) {
  GraphBuilder& w = b.w;
  const Window& s = op.window;
  const Shape image = b.input_shape(0), output = w.shape(g);
  Window window;
  window.stride_h = s.dilation_h;
  window.stride_w = s.dilation_w;
  window.dilation_h = s.stride_h;
  window.dilation_w = s.stride_w;
  const std::int64_t rows = (output[1] - 1) * s.stride_h + std::int64_t{s.kernel_h - 1} * s.dilation_h + 1;
  const std::int64_t columns = (output[2] - 1) * s.stride_w + std::int64_t{s.kernel_w - 1} * s.dilation_w + 1;
  const Border border = {s.pad_top, rows - image[1] - s.pad_top, s.pad_left, columns - image[2] - s.pad_left};
  const TensorId sums =
      convolve(w, by_channel(w, b.input(0), op.groups), w.transpose(g, {3, 1, 2, 0}), window, op.groups, border);
  return w.transpose(sums, {3, 1, 2, 0});
}

/// [G*O,KH,KW,C] to [G*C,KH,KW,O], turned by 180 degrees.
TensorId turned(GraphBuilder& w, TensorId weights, std::int64_t groups) {
  const Shape s = w.shape(weights);
  TensorId x = weights;
  if (s[1] > 1 || s[2] > 1) {
    x = w.slice(x, {0, s[1] - 1, s[2] - 1, 0}, {1, -1, -1, 1}, s);
  }
  if (groups == 1) {
    return w.transpose(x, {3, 1, 2, 0});
  }
  const TensorId grouped = w.reshape(x, {groups, s[0] / groups, s[1], s[2], s[3]});
  return w.reshape(w.transpose(grouped, {0, 4, 2, 3, 1}), {groups * s[3], s[1], s[2], s[0] / groups});
}

TensorId of_input(const Backward& b, const graph::Conv2d& op, TensorId g) {
  GraphBuilder& w = b.w;
  const Window& s = op.window;
  const Shape image = b.input_shape(0);
  const TensorId wide = spread(w, g, {1, s.stride_h, s.stride_w, 1});
  Window window;
  window.dilation_h = s.dilation_h;
  window.dilation_w = s.dilation_w;
  const std::int64_t reach_y = std::int64_t{s.kernel_h - 1} * s.dilation_h;
  const std::int64_t reach_x = std::int64_t{s.kernel_w - 1} * s.dilation_w;
  const std::int64_t top = reach_y - s.pad_top, left = reach_x - s.pad_left;
  const Border border = {top, image[1] + reach_y - w.shape(wide)[1] - top, left,
                         image[2] + reach_x - w.shape(wide)[2] - left};
  return convolve(w, wide, turned(w, b.input(1), op.groups), window, op.groups, border);
}

}  // namespace

void differentiate(const Backward& b, const graph::Conv2d& op) {
  const TensorId g = b.before(op.activation);
  if (b.wants(0)) {
    b.give(0, of_input(b, op, g));
  }
  if (b.wants(1)) {
    b.give(1, of_weights(b, op, g));
  }
  if (b.wants(2)) {
    b.give(2, g);
  }
}

}  // namespace systole::training
