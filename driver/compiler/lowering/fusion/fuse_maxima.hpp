// SPDX-License-Identifier: Apache-2.0
// Joins maximum pools with the products whose results they read: the maxima are computed while the results are in the
// scratchpad.
#pragma once

#include <set>
#include <vector>

#include "layer.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Of products in block floating point whose rows are the image's positions, if the windows tile the image. `plain`
/// operators keep their pools.
void fuse_maxima(std::vector<Layer>& layers, const Configuration& configuration, const std::set<int>& plain,
                 Transformations& transformations);

}  // namespace systole::network
