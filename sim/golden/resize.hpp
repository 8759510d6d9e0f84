// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite's RESIZE_BILINEAR on int8: positions in steps of 2^-10 of a pixel.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor.hpp"

namespace systole::golden {

struct Resize {
  int height = 1, width = 1;  // size of the result
  bool align_corners = false;
  bool half_pixel_centers = false;
};

// The two rows or columns between which one of the result lies, and its distance from the first, in steps of 2^-10.
struct Between {
  std::int64_t lower, upper, behind;
};
// For all rows or columns of the result: `output` of them from `input`.
std::vector<Between> places_between(int input, int output, const Resize& resize);

Tensor8 resize_bilinear(const Tensor8& input, const Resize& resize);

}  // namespace systole::golden
