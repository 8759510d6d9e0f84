// SPDX-License-Identifier: Apache-2.0
// The same network with fewer operators. Results do not change.
#pragma once

#include <cstdint>

#include "systole/graph.hpp"

namespace systole::graph {

/// Transpositions move towards the outputs, through operators that work on each element or along named axes, until two
/// cancel, a reshape takes one in or the constant weights of a dense layer do; reshapes of reshapes become one; what
/// does nothing goes.
void move_transposes(Graph& graph);

/// Computes operators whose operands are constant, up to this many bytes of results.
void fold_constants(Graph& graph, std::int64_t most_bytes);

/// Takes out operators and tensors that no output depends on. Inputs of the graph stay.
void remove_unused(Graph& graph);

/// All of these, constants up to `most_bytes`. The graph is valid before and behind.
void simplify(Graph& graph, std::int64_t most_bytes);

}  // namespace systole::graph
