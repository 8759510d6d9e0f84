// SPDX-License-Identifier: Apache-2.0
// The windows of float32: moves bring the taps of each together. A pool folds them as any positions.
#include <algorithm>
#include <limits>
#include <utility>

#include "element_formulas.hpp"
#include "fold_formulas.hpp"
#include "lower_floats.hpp"
#include "refused.hpp"
#include "systole/graph_value.hpp"
#include "window.hpp"

namespace systole::network {
namespace {

using compiler::ByteBox;
using graph::ElementType;
using graph::Shape;

/// Positions first .. last - 1 of a line of the result.
struct Stretch {
  std::int64_t first, last;
  std::int64_t size() const { return last - first; }
};

/// Those whose windows have the tap inside the image: it reads position * step + offset.
Stretch inside(std::int64_t positions, std::int64_t step, std::int64_t offset, std::int64_t size) {
  Stretch stretch{0, positions};
  while (stretch.first < stretch.last && stretch.first * step + offset < 0) {
    ++stretch.first;
  }
  while (stretch.last > stretch.first && (stretch.last - 1) * step + offset >= size) {
    --stretch.last;
  }
  return stretch;
}

class Windows {
 public:
  Windows(const Shape& image, const Shape& output, const Window& window)
      : image_(image),
        output_(output),
        window_(window),
        taps_(std::int64_t{window.kernel_h} * window.kernel_w),
        bytes_(image[3] * kWordBytes) {}

  std::int64_t taps() const { return taps_; }

  /// All taps of a window one after another; those outside the image have the value `outside`.
  MoveLayer gather(float outside) {
    constexpr std::int64_t kMostBytes = 1 << 24;
    constexpr std::size_t kMostBoxes = 4096;  // two instructions each
    const std::int64_t positions = graph::count(output_) / output_[3];
    require(taps_ * positions * bytes_ <= kMostBytes, "windows of over 16 MiB");
    const std::vector<float> values(static_cast<std::size_t>(image_[3]), outside);
    moves_.constants = {graph::make_value(ElementType::kFloat32, {image_[3]}, values).data};
    for (std::int64_t batch = 0; batch < output_[0]; ++batch) {
      for (int ky = 0; ky < window_.kernel_h; ++ky) {
        for (int kx = 0; kx < window_.kernel_w; ++kx) {
          tap(batch, ky, kx);
        }
      }
    }
    require(moves_.parts.size() <= kMostBoxes, "windows that take over 4096 moves");
    return std::move(moves_);
  }

  /// The taps inside the image, for each position of the result.
  std::vector<float> counts() const {
    std::vector<float> numbers;
    for (int y = 0; y < output_[1]; ++y) {
      for (int x = 0; x < output_[2]; ++x) {
        int number = 0;
        for (int ky = 0; ky < window_.kernel_h; ++ky) {
          for (int kx = 0; kx < window_.kernel_w; ++kx) {
            const std::int64_t in_y = golden::input_y(window_, y, ky), in_x = golden::input_x(window_, x, kx);
            number += in_y >= 0 && in_y < image_[1] && in_x >= 0 && in_x < image_[2] ? 1 : 0;
          }
        }
        require(number > 0, "a window that contains only padding");
        numbers.push_back(static_cast<float>(number));
      }
    }
    return numbers;
  }

 private:
  void tap(std::int64_t batch, int ky, int kx) {
    const std::int64_t y0 = golden::input_y(window_, 0, ky), x0 = golden::input_x(window_, 0, kx);
    const Stretch lines = inside(output_[1], window_.stride_h, y0, image_[1]);
    const Stretch columns = inside(output_[2], window_.stride_w, x0, image_[2]);
    const std::int64_t number = std::int64_t{ky} * window_.kernel_w + kx;
    ByteBox box = at(batch, number, lines, columns);
    box.from = ((batch * image_[1] + lines.first * window_.stride_h + y0) * image_[2] +
                columns.first * window_.stride_w + x0) *
               bytes_;
    box.from_outer = window_.stride_h * image_[2] * bytes_;
    box.from_inner = window_.stride_w * bytes_;
    add({0, -1, box});
    const Stretch all{0, output_[2]};
    add({-1, 0, at(batch, number, {0, lines.first}, all)});
    add({-1, 0, at(batch, number, {lines.last, output_[1]}, all)});
    add({-1, 0, at(batch, number, lines, {0, columns.first})});
    add({-1, 0, at(batch, number, lines, {columns.last, output_[2]})});
  }

  void add(const MoveLayer::Part& part) {
    if (part.box.outer > 0 && part.box.inner > 0) {
      moves_.parts.push_back(part);
    }
  }

  /// Where the tap of these positions goes.
  ByteBox at(std::int64_t batch, std::int64_t number, const Stretch& lines, const Stretch& columns) const {
    ByteBox box;
    box.outer = lines.size();
    box.inner = columns.size();
    box.bytes = bytes_;
    box.to_inner = taps_ * bytes_;
    box.to_outer = output_[2] * box.to_inner;
    box.to = (batch * output_[1] + lines.first) * box.to_outer + columns.first * box.to_inner + number * bytes_;
    return box;
  }

  const Shape &image_, &output_;
  const Window window_;
  const std::int64_t taps_, bytes_;
  MoveLayer moves_;
};

}  // namespace

Term float_windows(KernelSteps& steps, const Window& window, float outside) {
  const Shape &image = steps.input(0).shape, &output = steps.output().shape;
  Windows windows(image, output, window);
  const std::int64_t items = graph::count(output) / output[3];
  return steps.move("windows", steps.given(0), graph::count(image) * kWordBytes, windows.gather(outside),
                    Grid{items * windows.taps(), image[3]}, kWordBytes);
}

Term float_pool(KernelSteps& steps, const graph::Pool& op, bool plain) {
  require(op.activation == Activation::kNone, "an activation of a pool of float32");
  const Shape &image = steps.input(0).shape, &output = steps.output().shape;
  const bool largest = op.kind == graph::PoolKind::kMax;
  const Image from = image_of(steps.input(0)), to = image_of(steps.output());
  if (largest && !plain && compiler::slides_inside(op.window, view_of(from), view_of(to))) {
    return steps.append("maxima", FloatWindowsLayer{op.window}, {{steps.input_id(0), from}}, to);
  }
  const Windows windows(image, output, op.window);
  const std::vector<float> counts = windows.counts();
  const std::int64_t items = graph::count(output) / output[3];
  const Term taps = float_windows(steps, op.window, largest ? -std::numeric_limits<float>::infinity() : 0);
  const Term result = steps.folded(float_fold(largest ? graph::ReduceKind::kMax : graph::ReduceKind::kSum), taps, items,
                                   windows.taps(), output[3]);
  if (largest) {
    return result;
  }
  if (op.count_padding || std::all_of(counts.begin(), counts.end(), [&](float n) { return n == counts[0]; })) {
    return steps.apply(float_call(graph::BinaryKind::kDivide),
                       {result, steps.constant(op.count_padding ? static_cast<float>(windows.taps()) : counts[0])});
  }
  std::vector<float> divisors;  // of all channels
  for (std::int64_t i = 0; i < items; ++i) {
    divisors.insert(divisors.end(), static_cast<std::size_t>(output[3]),
                    counts[static_cast<std::size_t>(i) % counts.size()]);
  }
  return steps.apply(
      float_call(graph::BinaryKind::kDivide),
      {result, Term{graph::kNoTensor, ConstantOperand{graph::make_value(ElementType::kFloat32, output, divisors).data,
                                                      steps.grid().image(kWordBytes)}}});
}

}  // namespace systole::network
