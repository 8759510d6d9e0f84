// SPDX-License-Identifier: Apache-2.0
// Which integers a tensor may hold, judged by who uses them as indices.
#pragma once

#include <cstdint>
#include <optional>

#include "systole/graph.hpp"

namespace systole::graph {

/// The size of the smallest axis that elements of the tensor, or integers computed from them, are indices of; none when
/// there is none. Indices of 0 up to it are in range where they reach their axis as they are; arithmetic on the way may
/// still lead beyond.
std::optional<std::int64_t> index_limit(const Graph& graph, TensorId id);

}  // namespace systole::graph
