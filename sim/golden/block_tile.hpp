// SPDX-License-Identifier: Apache-2.0
// Tiles of 16 blocks, and their transposition: a product that reduces along the other dimension.
#pragma once

#include "block_float.hpp"

namespace systole::golden {

using BlockTile = std::array<Block, kBlockSize>;

/// All blocks brought to the greatest exponent of the tile: mantissas are divided by a power of two and rounded to
/// nearest even. If one is a NaN, all are, with mantissas of 0.
BlockTile aligned(const BlockTile& tile);

/// Aligned, then rows become columns: mantissa i of block j is mantissa j of block i. Applied to an aligned tile it
/// rounds nothing.
BlockTile transposed(const BlockTile& tile);

}  // namespace systole::golden
