// SPDX-License-Identifier: Apache-2.0
#include "strided_copy.hpp"

#include <cstring>
#include <numeric>

namespace systole::pjrt {

using graph::Shape;

Shape row_major_strides(const Shape& shape, std::size_t element_bytes) {
  Shape order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return strides_of(shape, element_bytes, order.data());
}

Shape strides_of(const Shape& shape, std::size_t element_bytes, const std::int64_t* minor_to_major) {
  Shape strides(shape.size());
  auto stride = static_cast<std::int64_t>(element_bytes);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const auto axis = static_cast<std::size_t>(minor_to_major[i]);
    strides[axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

void copy_strided(const Shape& shape, std::size_t element_bytes, const void* from, const Shape& from_strides, void* to,
                  const Shape& to_strides) {
  const auto elements = static_cast<std::size_t>(graph::count(shape));
  if (from_strides == to_strides) {
    if (elements > 0 && from_strides == row_major_strides(shape, element_bytes)) {
      std::memcpy(to, from, elements * element_bytes);
      return;
    }
  }
  Shape at(shape.size());
  const auto* source = static_cast<const std::uint8_t*>(from);
  auto* target = static_cast<std::uint8_t*>(to);
  for (std::size_t i = 0; i < elements; ++i) {
    std::int64_t read = 0, write = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      read += at[axis] * from_strides[axis];
      write += at[axis] * to_strides[axis];
    }
    std::memcpy(target + write, source + read, element_bytes);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) {
        break;
      }
      at[axis] = 0;
    }
  }
}

}  // namespace systole::pjrt
