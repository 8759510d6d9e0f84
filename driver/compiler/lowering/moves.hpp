// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements, as boxes of bytes: where each byte comes from is asked of the host's own operator.
#pragma once

#include <cstddef>

#include "layer.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether each element of the result is one of an input, whatever the elements are, or a value that is always the
/// same.
bool only_moves(const graph::Graph& graph, const graph::Operator& op);

/// How the operator's output number `output` comes about; the layer's inputs are the operator's, constant ones too, and
/// elements have one byte, uint8 as int8 that is 128 less. only_moves() holds.
MoveLayer moves_of(const graph::Graph& graph, const graph::Operator& op, std::size_t output);

}  // namespace systole::network
