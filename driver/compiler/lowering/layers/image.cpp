// SPDX-License-Identifier: Apache-2.0
#include "image.hpp"

#include <fmt/core.h>

#include <array>
#include <cstddef>
#include <limits>

namespace systole::network {

Image image_of(const graph::Tensor& tensor) {
  const graph::Shape& shape = tensor.shape;
  const auto element_bytes = static_cast<int>(graph::element_size(tensor.type));
  if (graph::count(shape) > std::numeric_limits<std::int32_t>::max() / element_bytes) {
    throw graph::GraphError(fmt::format("tensor '{}' ({}): the device supports at most 2^31 - 1 bytes", tensor.name,
                                        graph::to_string(shape)));
  }
  std::array<int, 4> sizes{1, 1, 1, 1};
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t from_behind = shape.size() - 1 - i;
    sizes[from_behind < 4 ? 3 - from_behind : 0] *= static_cast<int>(shape[i]);
  }
  return {sizes[0], sizes[1], sizes[2], sizes[3] * element_bytes, element_bytes};
}

int scratch_rows(const Image& image, int plane, int dim) {
  return compiler::ceil_div(image.channels, dim * image.element_bytes) * image.element_bytes * plane;
}

bool is_small(const Image& image, const Configuration& configuration) {
  constexpr int kShare = 16;  // of the scratchpad
  return scratch_rows(image, image.height * image.width, configuration.dim) * kShare <= configuration.scratch_rows;
}

}  // namespace systole::network
