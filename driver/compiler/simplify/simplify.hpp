// SPDX-License-Identifier: Apache-2.0
// Graph simplification: fewer operators, same results.
#pragma once

#include <cstdint>

#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::graph {

/// Moves transpositions towards the outputs, through element-wise operators and operators on named axes, until two
/// cancel or one is absorbed by a reshape or the constant weights of a dense layer. Merges consecutive reshapes and
/// removes operators without effect. Returns how many operators changed.
int move_transposes(Graph& graph);

/// Replaces the transposition of a concatenation by a concatenation of transpositions where that is along the first
/// axis. Returns how many there were.
int split_transposes(Graph& graph);

/// Folds operators with constant operands, up to this many bytes of results.
void fold_constants(Graph& graph, std::int64_t most_bytes);

/// Removes operators and tensors that no output depends on. Inputs of the graph stay.
void remove_unused(Graph& graph);

/// All of these, with constants up to `most_bytes`; transformations only if they are on. The graph is valid before and
/// after.
void simplify(Graph& graph, std::int64_t most_bytes, Transformations& transformations);
void simplify(Graph& graph, std::int64_t most_bytes);

}  // namespace systole::graph
