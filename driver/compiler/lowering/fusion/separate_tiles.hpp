// SPDX-License-Identifier: Apache-2.0
// Weight tiles of computed operands as layers of their own, before the products that read them.
#pragma once

#include "segment.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// All columns, and the computed filters of convolutions, become tiles: a layer writes them where the other lane of the
/// program has time for it (overlap.hpp). What the host writes as weights is tiles already.
void separate_tiles(Segment& segment, const graph::Graph& graph, const Configuration& configuration);

}  // namespace systole::network
