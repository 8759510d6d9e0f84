// SPDX-License-Identifier: Apache-2.0
// Picture files as inputs of a network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::quantizer {

/// Rows from top to bottom, pixels from left to right, channels interleaved.
struct Picture {
  std::int64_t height = 0, width = 0, channels = 1;
  std::vector<std::uint8_t> pixels;
};

/// A binary PGM (P5, one channel) or PPM (P6, three) with values up to 255. Throws GraphError, beginning with `name`,
/// for other formats and truncated files.
Picture parse_pnm(const graph::Bytes& bytes, const std::string& name);

/// The picture as a value of a float32 or uint8 tensor whose shape is the picture's as NHWC or NCHW, ignoring
/// dimensions of 1; float32 values are 0 .. 255 as well. Throws GraphError, beginning with `name`, for another shape or
/// type.
graph::Value as_input(const Picture& picture, const graph::Tensor& tensor, const std::string& name);

}  // namespace systole::quantizer
