// SPDX-License-Identifier: Apache-2.0
// A graph in the operators that the lowering knows, with the same results.
#pragma once

#include "systole/graph.hpp"

namespace systole::network {

/// Parts of a concatenation that have another quantization than the result are brought to it by operators of their own,
/// so that what is left only moves bytes. The graph is valid, and stays so.
void legalize(graph::Graph& graph);

}  // namespace systole::network
