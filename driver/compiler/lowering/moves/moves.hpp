// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements, as boxes of bytes. The source of each byte is found by running the host's operator
// on element numbers, or from the constant indices of a gather.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether each element of the result is an element of an input, whatever the values are, or a fixed value.
bool only_moves(const graph::Graph& graph, const graph::Operator& op);

/// For each element of output number `output` the number of its source among the elements of all inputs, which are
/// counted from 1; 0 for a fixed value. Requires only_moves(), and no gather.
std::vector<std::int32_t> element_sources(const graph::Graph& graph, const graph::Operator& op, std::size_t output);

/// The moves that produce output number `output`. The layer's inputs are the operator's, including constant ones;
/// elements of any type, uint8 as int8 that is 128 less. Requires only_moves(). Throws Refused for an index out of
/// range.
MoveLayer moves_of(const graph::Graph& graph, const graph::Operator& op, std::size_t output);

/// For each byte of the result, of `bytes`, its source in the only input. Nothing if bytes come from elsewhere, too.
std::optional<std::vector<std::int32_t>> byte_sources(const MoveLayer& moves, std::int64_t bytes);
/// The same of a layer. Nothing if it is no move of one whole tensor, or LOAD turns it, or it has over 2^24 bytes.
std::optional<std::vector<std::int32_t>> byte_sources(const Layer& layer);
/// How many runs of bytes are transferred, one after the other.
std::int64_t transfers(const MoveLayer& moves);
/// The moves with these sources.
MoveLayer moves_from(const std::vector<std::int32_t>& sources);

}  // namespace systole::network
