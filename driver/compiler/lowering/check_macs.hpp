// SPDX-License-Identifier: Apache-2.0
// Whether the layers of a program have the work of the operators that they stand for.
#pragma once

#include "segments.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Throws LayerAccountingError unless the layers' multiply-accumulates are those of the operators that they do.
void check_macs(const Segment& segment, const graph::Graph& graph);

}  // namespace systole::network
