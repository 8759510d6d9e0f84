// SPDX-License-Identifier: Apache-2.0
// Inputs that the host writes as weight tiles.
#pragma once

#include <cstdint>

#include "systole/compiled_network.hpp"
#include "systole/graph_value.hpp"

namespace systole::network {

/// In device memory.
std::int64_t bytes_of(const WrittenTiles& tiles, int dim);

/// The matrix, float32 of those sizes, as tiles.
graph::Bytes bytes_of(const WrittenTiles& tiles, const graph::Value& matrix, int dim);

}  // namespace systole::network
