// SPDX-License-Identifier: Apache-2.0
// Operators whose result depends on one byte of each of two tensors, as a table of 65,536 results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "systole/graph.hpp"

namespace systole::network {

/// Results as the device stores them, indexed by (lhs + 128) * 256 + rhs + 128.
using PairResults = std::vector<std::int8_t>;

inline std::size_t pair_index(int lhs, int rhs) { return static_cast<std::size_t>((lhs + 128) * 256 + rhs + 128); }

/// The results for all pairs of bytes, computed by the host's operator. Requires an element-wise operator on two 8-bit
/// tensors, each with one quantization for all elements.
PairResults pair_results(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
