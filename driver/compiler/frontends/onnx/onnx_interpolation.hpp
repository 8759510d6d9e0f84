// SPDX-License-Identifier: Apache-2.0
// Sums of weighted neighbours along an axis, as interpolation needs them.
#pragma once

#include <cstdint>
#include <vector>

#include "onnx_translation.hpp"

namespace systole::graph::onnx_file {

/// An element of the input, and its factor in an element of the result. A place before the first element or after the
/// last stands for that element.
struct Tap {
  std::int64_t place = 0;
  double weight = 1;
};

/// One element of the result for each list of taps, which must not be empty: the sum of the weighted elements along the
/// axis. Elements that no tap names have no part in it, so that an infinity or a NaN there changes nothing, which the
/// zeros of a product with a weight matrix would not ensure.
TensorId interpolated(Translation& t, TensorId id, std::size_t axis, std::vector<std::vector<Tap>> results);

}  // namespace systole::graph::onnx_file
