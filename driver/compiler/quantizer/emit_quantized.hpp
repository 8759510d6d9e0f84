// SPDX-License-Identifier: Apache-2.0
// Emits the int8 graph for a float graph and a scheme.
#pragma once

#include <map>

#include "scheme.hpp"

namespace systole::quantizer {

struct Emitted {
  graph::Graph graph;  ///< valid
  /// The int8 counterpart of each tensor of the float graph.
  std::map<graph::TensorId, graph::TensorId> twins;
};

/// Operators in the order of the float graph, with names and origins; Convert operators between int8 and float32. Names
/// of inputs and outputs are kept. Throws GraphError if the result would not be valid.
Emitted emit(const graph::Graph& graph, const Scheme& scheme, Border border);

}  // namespace systole::quantizer
