// SPDX-License-Identifier: Apache-2.0
// Copies of equally spaced elements.
#pragma once

#include <cstdint>
#include <vector>

#include "indices.hpp"

namespace systole::graph {

/// Where the elements of a box lie in a tensor: that at index i at first + sum of i[axis] * steps[axis], in elements.
struct Places {
  std::int64_t first = 0;
  std::vector<std::int64_t> steps;
};

/// The places of all elements of a tensor of this shape.
Places dense_places(const Shape& shape);

/// Copies a box of elements of `size` bytes.
void copy_box(const Shape& box, std::size_t size, const std::uint8_t* from, const Places& at, std::uint8_t* to,
              const Places& there);

/// A value of this shape, its elements at these places of `from`.
Value boxed(const Value& from, const Shape& shape, const Places& at);

}  // namespace systole::graph
