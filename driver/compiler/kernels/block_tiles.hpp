// SPDX-License-Identifier: Apache-2.0
// Weights in block floating point that were computed: blocks along the rows of a tensor become the tiles of a product
// in device memory, once, so that every tile of positions reads them as it reads constant ones.
#pragma once

#include "block_weights.hpp"
#include "kernels.hpp"

namespace systole::compiler {

/// Appends what writes the tiles of the filter. LOADs bring the bytes of each output channel to its lane of the tiles:
/// they are turned, or, where a tile has fewer rows than lanes, come a byte a cycle. Throws DoesNotFit when not even
/// the tiles of one tap and group of channels fit the workspace.
TiledBlockWeights written_tiles(Builder& builder, const ComputedFilter& filter);

}  // namespace systole::compiler
