// SPDX-License-Identifier: Apache-2.0
// One sample of an array of them.
#pragma once

#include "systole/graph_value.hpp"

namespace systole::test {

/// Sample `i` of an array whose first axis is the sample, as a value of the tensor.
inline graph::Value sample(const graph::Value& all, std::int64_t i, const graph::Tensor& tensor) {
  const std::size_t size = all.data.size() / static_cast<std::size_t>(all.shape[0]);
  const auto first = all.data.begin() + i * static_cast<std::ptrdiff_t>(size);
  return {tensor.type, tensor.shape, graph::Bytes(first, first + static_cast<std::ptrdiff_t>(size))};
}

}  // namespace systole::test
