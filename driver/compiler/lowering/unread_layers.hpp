// SPDX-License-Identifier: Apache-2.0
// Layers that are not needed any more, since what read them reads something else.
#pragma once

#include <vector>

#include "layer.hpp"

namespace systole::network {

/// Removes layers that do not multiply and whose results no layer reads and nobody `wanted`.
void remove_unread(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted);

}  // namespace systole::network
