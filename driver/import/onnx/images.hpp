// SPDX-License-Identifier: Apache-2.0
// ONNX's images N,C,H,W (and N,C,L, a line) as NHWC, and kernels that slide over them.
#pragma once

#include "import/onnx/translation.hpp"

namespace systole::graph::onnx_file {

/// N,C,H,W as NHWC; N,C,L as N,1,L,C. Refuses other numbers of dimensions.
TensorId to_image(Translation& t, TensorId channels_first);
/// Back, to as many dimensions as the operand had: 3 or 4.
TensorId from_image(Translation& t, TensorId image, std::size_t rank);

/// The node's attributes for an image NHWC. `kernel` has one value per dimension of the file's images. With `ceil`, the last
/// window of a row may lie partly outside.
Sliding sliding_of(const Translation& t, const Shape& image, const std::vector<std::int64_t>& kernel, bool ceil);

}  // namespace systole::graph::onnx_file
