// SPDX-License-Identifier: Apache-2.0
// Pictures of files as inputs of a network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::quantizer {

/// Rows from above, pixels from the left, channels of a pixel together.
struct Picture {
  std::int64_t height = 0, width = 0, channels = 1;
  std::vector<std::uint8_t> pixels;
};

/// A binary PGM (P5, one channel) or PPM (P6, three) with values up to 255. Throws GraphError, beginning with `name`,
/// for other formats and for files that are cut short.
Picture parse_pnm(const graph::Bytes& bytes, const std::string& name);

/// The picture as a value of the tensor, of float32 or uint8, whose shape is the picture's as NHWC or NCHW, dimensions
/// of 1 aside: float32 has values 0 .. 255 as well. Throws GraphError, beginning with `name`, for another shape or
/// type.
graph::Value as_input(const Picture& picture, const graph::Tensor& tensor, const std::string& name);

}  // namespace systole::quantizer
