// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum pool, which graphs have as comparisons and selections for each tap of the window.
#pragma once

#include <set>
#include <vector>

#include "layer.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Where the windows tile the image, one kernel computes all taps: the layers that did become one. Results of operators
/// in `plain` stay as they are.
void fuse_pool_gradients(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                         const graph::Graph& graph, const std::set<int>& plain, Transformations& transformations);

}  // namespace systole::network
