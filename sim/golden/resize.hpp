// SPDX-License-Identifier: Apache-2.0
//
// TensorFlow Lite's RESIZE_BILINEAR on int8: positions in steps of 2^-10 of a pixel.
#pragma once

#include "tensor.hpp"

namespace systole::golden {

struct Resize {
  int height = 1, width = 1;  // size of the result
  bool align_corners = false;
  bool half_pixel_centers = false;
};

Tensor8 resize_bilinear(const Tensor8& input, const Resize& resize);

}  // namespace systole::golden
