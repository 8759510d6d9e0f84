// SPDX-License-Identifier: Apache-2.0
// Roots of negative numbers are an error, which a program of the device cannot report. The inputs of a network are
// known before its programs run, so the device computes their roots, and the host checks them.
#pragma once

#include <functional>

#include "systole/execute.hpp"
#include "systole/graph.hpp"

namespace systole::graph {

/// Whether the operator is the reciprocal root of an input of the graph, in TensorFlow Lite's arithmetic.
bool is_root_of_input(const Graph& graph, const Operator& op);

/// Throws what the host's operator throws if inputs of the graph have elements that such an operator refuses.
/// `value_of` is asked for these inputs alone.
void check_roots(const Graph& graph, const std::function<const Value&(TensorId)>& value_of);

}  // namespace systole::graph
