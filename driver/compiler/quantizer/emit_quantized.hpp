// SPDX-License-Identifier: Apache-2.0
// The int8 graph of a float graph and a scheme.
#pragma once

#include <map>

#include "scheme.hpp"

namespace systole::quantizer {

struct Emitted {
  graph::Graph graph;  ///< valid
  /// The int8 tensor that stands for a tensor of the float graph.
  std::map<graph::TensorId, graph::TensorId> twins;
};

/// Operators in the order of the float graph, with names and origins; Convert operators between int8 and float32. Names
/// of inputs and outputs stay. Throws GraphError for a result that would not be valid.
Emitted emit(const graph::Graph& graph, const Scheme& scheme, Border border);

}  // namespace systole::quantizer
