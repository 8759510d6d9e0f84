// SPDX-License-Identifier: Apache-2.0
// The opposite of reading an image through a window with a stride: numbers go back to the positions that they came
// from.
#pragma once

#include <cstdint>
#include <vector>

#include "graph_builder.hpp"

namespace systole::training {

using graph::GraphBuilder;
using graph::Shape;
using graph::TensorId;

/// Step sizes of a grid of positions, per axis.
using Steps = std::vector<std::int64_t>;

/// Elements of x at multiples of the steps, zeros between and after them: each axis grows by its step.
TensorId spread(GraphBuilder& w, TensorId x, const Steps& steps);

/// What each tap of a window gives to an image: tap(ky, kx), of the window's output shape [N,OH,OW,C], is added at the
/// pixels that the tap reads; the result is [N,height,width,C]. Results of a shape that broadcasts to it are not
/// expanded.
class TapSum {
 public:
  TapSum(GraphBuilder& w, const Window& window, const Shape& image, const Shape& output);
  void add(int ky, int kx, TensorId gradient);
  TensorId result();

 private:
  /// Pixels of the padded image with the same remainders by the strides: those that one tap reads, and its neighbours.
  TensorId& phase(std::int64_t y, std::int64_t x);

  GraphBuilder& w_;
  const Window window_;
  const Shape image_;
  std::int64_t step_y_, step_x_, shifts_y_, shifts_x_, rows_, columns_;
  std::vector<TensorId> phases_;
};

}  // namespace systole::training
