// SPDX-License-Identifier: Apache-2.0
// Checks that the layers of a program do the work of their operators.
#pragma once

#include "segment.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Throws LayerAccountingError unless the layers' multiply-accumulates equal those of their operators.
void check_macs(const Segment& segment, const graph::Graph& graph);

}  // namespace systole::network
