// SPDX-License-Identifier: Apache-2.0
// Right operands of block floating point that lie as they are multiplied, the reduction along rows: a kernel makes
// blocks of their columns, which are weight tiles already. Nothing has to be transposed.
#pragma once

#include "block_weights.hpp"
#include "kernels.hpp"

namespace systole::compiler {

/// Appends what writes the tiles of the columns. Throws DoesNotFit when not even those of one block and DIM columns fit
/// the workspace.
TiledBlockWeights column_tiles(Builder& builder, const FloatColumns& columns);

}  // namespace systole::compiler
