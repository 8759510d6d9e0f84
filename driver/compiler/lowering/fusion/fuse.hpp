// SPDX-License-Identifier: Apache-2.0
// Layers that become part of their neighbours.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Fuses an addition into the convolution before it, the flattening of an image into the following fully connected
/// layer, padding into the following convolution or pooling, and a table into the following table. Tensors in `wanted`
/// must stay.
void fuse(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, const Configuration& configuration,
          Transformations& transformations);

}  // namespace systole::network
