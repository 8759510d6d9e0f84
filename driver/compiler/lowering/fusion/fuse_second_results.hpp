// SPDX-License-Identifier: Apache-2.0
// Second results of element-wise kernels.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// What a chain of element-wise operators reads of another one becomes its second result, if both are results of the
/// program, where the second would have to be written and read again. Elsewhere it may stay in the scratchpad.
void fuse_second_results(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                         const graph::Graph& graph, Transformations& transformations);

}  // namespace systole::network
