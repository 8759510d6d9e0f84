// SPDX-License-Identifier: Apache-2.0
// Indices of row-major tensors of any rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::graph {

using Index = std::vector<std::int64_t>;  ///< one per dimension

/// Calls visit(index, position) for each element, in memory order.
template <class Visit>
void for_each_index(const Shape& shape, Visit visit) {
  Index index(shape.size(), 0);
  const auto elements = static_cast<std::size_t>(count(shape));
  for (std::size_t position = 0; position < elements; ++position) {
    visit(static_cast<const Index&>(index), position);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) {
        break;
      }
      index[axis] = 0;
    }
  }
}

inline std::size_t position_of(const Shape& shape, const Index& index) {
  std::int64_t position = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    position = position * shape[axis] + index[axis];
  }
  return static_cast<std::size_t>(position);
}

/// A value of shape `shape`: the element at each index is that of `from` at source(index), or `fill` (one element in
/// bytes) if source() returns false. `source` is bool(const Index& at, Index& from).
template <class Source>
Value gather(const Value& from, const Shape& shape, const Bytes& fill, Source source) {
  const std::size_t size = element_size(from.type);
  Value result{from.type, shape, Bytes(static_cast<std::size_t>(count(shape)) * size)};
  Index origin(from.shape.size());
  for_each_index(shape, [&](const Index& at, std::size_t position) {
    const std::uint8_t* element =
        source(at, origin) ? from.data.data() + position_of(from.shape, origin) * size : fill.data();
    std::memcpy(result.data.data() + position * size, element, size);
  });
  return result;
}

/// The value broadcast to `shape`, which broadcast() returned: repeated along dimensions of 1 and missing leading ones.
Value broadcast_to(const Value& value, const Shape& shape);

}  // namespace systole::graph
