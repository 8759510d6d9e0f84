// SPDX-License-Identifier: Apache-2.0
// Conversions to blocks of what a kernel made for a few rows computes, as part of the kernel.
#pragma once

#include <set>
#include <vector>

#include "layer.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Kernels that can (KernelCall::to_blocks), whose results only one conversion reads, make blocks in the scratchpad,
/// where DIM is at least 16. Tensors in `wanted` must stay. Not those of operators in `plain`.
void fuse_row_blocks(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                     const Configuration& configuration, const std::set<int>& plain, Transformations& transformations);

}  // namespace systole::network
