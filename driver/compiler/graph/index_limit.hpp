// SPDX-License-Identifier: Apache-2.0
// Range of the integers in a tensor, derived from the operators that use them as indices.
#pragma once

#include <cstdint>
#include <optional>

#include "systole/graph.hpp"

namespace systole::graph {

/// The size of the smallest axis indexed by elements of the tensor, or by integers computed from them; none if there is
/// no such axis. Values from 0 up to it are in range if they reach the axis unchanged; arithmetic in between may still
/// leave the range.
std::optional<std::int64_t> index_limit(const Graph& graph, TensorId id);

}  // namespace systole::graph
