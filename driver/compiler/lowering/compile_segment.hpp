// SPDX-License-Identifier: Apache-2.0
// Compiles a segment in several ways, of which the cost model chooses the fastest.
#pragma once

#include "segment.hpp"
#include "systole/compiled_network.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Builds the program of a segment whose layers have been fused: whole layers one after another, spread over the
/// scratchpad, in chains of rows, or in two lanes. `program` is its number. Throws what emit_program() throws.
DeviceStep compile(Segment& segment, const graph::Graph& graph, const Configuration& configuration,
                   Transformations& transformations, std::size_t program);

}  // namespace systole::network
