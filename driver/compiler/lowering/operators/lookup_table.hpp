// SPDX-License-Identifier: Apache-2.0
// Operators whose result depends on one byte, as tables of 256 values.
#pragma once

#include "kernels.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Whether each byte of the result, int8, uint8 or bool, depends on only one byte of one input: activations,
/// conversions between quantizations, and arithmetic with a one-element constant.
bool is_bytewise(const graph::Graph& graph, const graph::Operator& op);

/// The input that is not a constant.
graph::TensorId computed_input(const graph::Graph& graph, const graph::Operator& op);

/// The results for all 256 values, indexed by the value as an unsigned byte, computed by the host's operator; uint8 is
/// stored as int8 that is 128 less. Requires is_bytewise().
compiler::LookupTable table_of(const graph::Graph& graph, const graph::Operator& op);

}  // namespace systole::network
