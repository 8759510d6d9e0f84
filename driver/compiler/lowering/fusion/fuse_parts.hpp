// SPDX-License-Identifier: Apache-2.0
// Parts of tensors that are read in place, without a move.
#pragma once

#include <vector>

#include "layer.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Layers that read some channels of a tensor, which a move would bring together, read them where they are. So does a
/// conversion to blocks that reads several tensors one after another, or side by side. Moves that are left for the
/// segment's results come last.
void fuse_parts(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, int dim,
                Transformations& transformations);

}  // namespace systole::network
