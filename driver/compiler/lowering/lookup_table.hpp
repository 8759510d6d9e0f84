// SPDX-License-Identifier: Apache-2.0
// Operators whose result depends on one byte, as tables of its 256 values.
#pragma once

#include <array>
#include <cstdint>

#include "systole/graph.hpp"

namespace systole::network {

/// Whether each byte of the result, int8 or uint8, depends on one byte of one input alone: activations, conversions
/// between quantizations, and arithmetic with a constant of one element.
bool is_bytewise(const graph::Graph& graph, const graph::Operator& op);

/// The input that is not constant.
graph::TensorId computed_input(const graph::Graph& graph, const graph::Operator& op);

/// The results of all 256 values, by the value as an unsigned byte, made by the host's own operator; uint8 is int8 that
/// is 128 less. is_bytewise() holds.
std::array<std::int8_t, 256> table_of(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
