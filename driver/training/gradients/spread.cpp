// SPDX-License-Identifier: Apache-2.0
#include "spread.hpp"

namespace systole::training {

TensorId spread(GraphBuilder& w, TensorId x, const Steps& steps) {
  Shape split, wide;
  std::vector<std::int64_t> before, after;
  bool any = false;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    const std::int64_t size = w.shape(x)[axis];
    split.insert(split.end(), {size});
    before.push_back(0);
    after.push_back(0);
    wide.push_back(size * steps[axis]);
    if (steps[axis] > 1) {
      split.push_back(1);
      before.push_back(0);
      after.push_back(steps[axis] - 1);
      any = true;
    }
  }
  return any ? w.reshape(w.pad(w.reshape(x, split), before, after), wide) : x;
}

namespace {

/// A window with one position along an axis never steps: then all taps may be neighbours of a larger step.
std::int64_t step_of(int stride, int kernel, int dilation, std::int64_t positions) {
  return positions > 1 ? stride : std::int64_t{kernel - 1} * dilation + 1;
}

}  // namespace

TapSum::TapSum(GraphBuilder& w, const Window& window, const Shape& image, const Shape& output)
    : w_(w),
      window_(window),
      image_(image),
      step_y_(step_of(window.stride_h, window.kernel_h, window.dilation_h, output[1])),
      step_x_(step_of(window.stride_w, window.kernel_w, window.dilation_w, output[2])),
      shifts_y_((window.kernel_h - 1) * window.dilation_h / step_y_),
      shifts_x_((window.kernel_w - 1) * window.dilation_w / step_x_),
      rows_(output[1] + shifts_y_),
      columns_(output[2] + shifts_x_),
      phases_(static_cast<std::size_t>(step_y_ * step_x_), graph::kNoTensor) {}

TensorId& TapSum::phase(std::int64_t y, std::int64_t x) { return phases_[static_cast<std::size_t>(y * step_x_ + x)]; }

void TapSum::add(int ky, int kx, TensorId gradient) {
  const std::int64_t y = std::int64_t{ky} * window_.dilation_h, x = std::int64_t{kx} * window_.dilation_w;
  const std::int64_t down = y / step_y_, right = x / step_x_;
  const TensorId shifted = w_.pad(gradient, {0, down, right, 0}, {0, shifts_y_ - down, shifts_x_ - right, 0});
  TensorId& sum = phase(y % step_y_, x % step_x_);
  sum = sum == graph::kNoTensor ? shifted : w_.add(sum, shifted);
}

TensorId TapSum::result() {
  const Shape narrow = {image_[0], rows_, 1, columns_, 1, image_[3]};
  std::vector<TensorId> lines;
  for (std::int64_t y = 0; y < step_y_; ++y) {
    std::vector<TensorId> line;
    for (std::int64_t x = 0; x < step_x_; ++x) {
      TensorId part = phase(y, x);
      if (part == graph::kNoTensor) {  // no tap reads these pixels
        part = w_.zeros(phase(0, 0), {image_[0], rows_, columns_, image_[3]});
      }
      line.push_back(w_.reshape(part, narrow));
    }
    lines.push_back(w_.concat(line, 4));
  }
  const std::int64_t height = rows_ * step_y_, width = columns_ * step_x_;
  const TensorId padded = w_.reshape(w_.concat(lines, 2), {image_[0], height, width, image_[3]});
  return w_.pad(padded, {0, -window_.pad_top, -window_.pad_left, 0},
                {0, image_[1] + window_.pad_top - height, image_[2] + window_.pad_left - width, 0});
}

}  // namespace systole::training
