// SPDX-License-Identifier: Apache-2.0
// Compares the copies of layers with the moves in the graph.
#pragma once

#include "segment.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Runs the graph's moves on element numbers, from the tensors that a layer reads to the one that it makes, and
/// compares each element's source with the layer's boxes. Where several moves became one, nothing else shows that it
/// still is what they were. Throws NotOnDevice for the first layer that moves something else: its operator then runs on
/// the host.
void check_moves(const Segment& segment, const graph::Graph& graph);

}  // namespace systole::network
