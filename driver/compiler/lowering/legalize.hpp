// SPDX-License-Identifier: Apache-2.0
// Rewrites a graph to operators that the lowering supports, with the same results.
#pragma once

#include "systole/graph.hpp"

namespace systole::network {

/// Inserts conversions before a concatenation for inputs whose quantization differs from the result's, so that the
/// concatenation only copies bytes. The graph is valid before and after.
void legalize(graph::Graph& graph);

}  // namespace systole::network
