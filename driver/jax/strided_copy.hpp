// SPDX-License-Identifier: Apache-2.0
// Copies of arrays between layouts.
#pragma once

#include <cstddef>

#include "systole/graph.hpp"

namespace systole::pjrt {

/// The distance in bytes between neighbours along each axis of a dense array.
graph::Shape row_major_strides(const graph::Shape& shape, std::size_t element_bytes);
/// The same where `minor_to_major` lists the axes from the innermost.
graph::Shape strides_of(const graph::Shape& shape, std::size_t element_bytes, const std::int64_t* minor_to_major);

void copy_strided(const graph::Shape& shape, std::size_t element_bytes, const void* from,
                  const graph::Shape& from_strides, void* to, const graph::Shape& to_strides);

}  // namespace systole::pjrt
