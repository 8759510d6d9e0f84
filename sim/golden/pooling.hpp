// SPDX-License-Identifier: Apache-2.0
//
// Pooling of NHWC tensors; input and output share scale and zero point. Every window must contain at least one element
// of the image, else InvalidArgument.
#pragma once

#include <cstdint>

#include "systole/operator_types.hpp"
#include "tensor.hpp"
#include "window.hpp"

namespace systole::golden {

struct Clamp {
  std::int8_t min = -128;
  std::int8_t max = 127;
};

// Elements outside the image are ignored.
Tensor8 max_pool(const Tensor8& input, const Window& window, const Clamp& clamp = {});

// Of 16 bits.
struct Clamp16 {
  std::int16_t min = -32768;
  std::int16_t max = 32767;
};
Tensor16 max_pool16(const Tensor16& input, const Window& window, const Clamp16& clamp = {});

enum class PaddingCount {
  kExclude,  // divide by the elements inside the image (TensorFlow Lite)
  kInclude,  // divide by the whole kernel; padding reads as the zero point (ONNX count_include_pad)
};

// sum / count rounded to nearest. The zero point matters only for kInclude.
Tensor8 average_pool(const Tensor8& input, const Window& window, const Clamp& clamp = {},
                     PaddingCount counting = PaddingCount::kExclude, std::int32_t zero_point = 0,
                     Ties ties = Ties::kAwayFromZero);
// The same for 16 bits, zero point 0, padding excluded; at most 2^15 elements per window.
Tensor16 average_pool16(const Tensor16& input, const Window& window, const Clamp16& clamp = {});

}  // namespace systole::golden
