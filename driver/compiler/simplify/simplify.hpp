// SPDX-License-Identifier: Apache-2.0
// Graph simplification: fewer operators, same results.
#pragma once

#include <cstdint>

#include "pass.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::graph {

/// What a pass on a graph changes. Folded constants take up to `most_bytes`; the batch has this many samples.
struct GraphSubject {
  Graph& graph;
  std::int64_t most_bytes = 0;
  std::int64_t samples = 1;
  std::size_t program = 0;

  Amount amount() const { return {graph.operators.size(), "operator"}; }
  /// A line for each operator: its number, what it is, operands and results - "@2" is made by operator number 2 - and
  /// multiplications.
  std::string listing() const;
  void finish() const {}
};
using GraphPass = Pass<GraphSubject>;

/// The passes by name, each as often as it changes an operator.
extern const GraphPass kFoldConstants, kMoveTransposes, kSplitTransposes, kRemoveUnused, kBatch, kLegalize;

/// Moves transpositions towards the outputs, through element-wise operators and operators on named axes, until two
/// cancel or one is absorbed by a reshape or the constant weights of a dense layer. Merges consecutive reshapes and
/// removes operators without effect. Returns how many operators changed.
int move_transposes(Graph& graph);

/// Replaces the transposition of a concatenation by a concatenation of transpositions where that is along the first
/// axis. Returns how many there were.
int split_transposes(Graph& graph);

/// Folds operators with constant operands, up to this many bytes of results. Returns how many.
int fold_constants(Graph& graph, std::int64_t most_bytes);

/// Removes operators and tensors that no output depends on. Inputs of the graph stay. Returns how many operators.
int remove_unused(Graph& graph);

/// Inserts conversions before a concatenation for inputs whose quantization differs from the result's, so that the
/// concatenation only copies bytes. The graph is valid before and after. Returns how many.
int legalize(Graph& graph);

/// Folds, moves, splits and removes as above, with constants up to `most_bytes`, unless they are switched off. The
/// graph is valid before and after.
void simplify(Graph& graph, std::int64_t most_bytes, Transformations& transformations);
void simplify(Graph& graph, std::int64_t most_bytes);

}  // namespace systole::graph
