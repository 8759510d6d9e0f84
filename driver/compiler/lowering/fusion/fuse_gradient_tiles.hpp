// SPDX-License-Identifier: Apache-2.0
// Joins gradients of maximum pools with the layers that make weight tiles of them: the gradient of the image never is
// in device memory.
#pragma once

#include <set>
#include <vector>

#include "layer.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Where nothing else reads the gradient, which is the kernel of a convolution, whole images of it. `wanted` are
/// tensors that must stay; `plain` operators keep their gradients.
void fuse_gradient_tiles(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                         const Configuration& configuration, const std::set<int>& plain,
                         Transformations& transformations);

}  // namespace systole::network
