// SPDX-License-Identifier: Apache-2.0
// Joins products in block floating point with what follows them: bias, limits, and the conversion to blocks.
#pragma once

#include <vector>

#include "layer.hpp"

namespace systole::network {

/// `wanted` are tensors that must stay. A conversion is fused only where DIM is at least 16; conversions of the same
/// tensor become one.
void fuse_block_results(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, int dim);

}  // namespace systole::network
