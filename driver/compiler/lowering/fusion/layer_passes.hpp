// SPDX-License-Identifier: Apache-2.0
// The passes on the layers of a program, in their order.
#pragma once

#include <vector>

#include "segment_context.hpp"

namespace systole::network {

const std::vector<LayerPass>& layer_passes();

}  // namespace systole::network
