// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <limits>

#include "systole/graph.hpp"

namespace systole::graph {

std::string to_string(const Shape& shape) {
  return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::int64_t count(const Shape& shape) {
  std::int64_t elements = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension < 0) {
      throw GraphError(
          fmt::format("shape {} has a dimension of {}; every dimension is at least 0", to_string(shape), dimension));
    }
    if (elements > 0 && dimension > std::numeric_limits<std::int64_t>::max() / elements) {
      throw GraphError(fmt::format("shape {} has more than 2^63 - 1 elements", to_string(shape)));
    }
    elements *= dimension;
  }
  return elements;
}

}  // namespace systole::graph
