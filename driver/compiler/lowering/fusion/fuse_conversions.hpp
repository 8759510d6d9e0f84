// SPDX-License-Identifier: Apache-2.0
// Joins conversions to blocks with the products that alone read them: the operand becomes blocks on its way to the
// array.
#pragma once

#include <set>
#include <vector>

#include "layer.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// `wanted` are tensors that must stay; `plain` operators keep their conversions. Small blocks stay in the scratchpad,
/// where the product finds them.
void fuse_conversions(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted,
                      const Configuration& configuration, const std::set<int>& plain, Transformations& transformations);

}  // namespace systole::network
