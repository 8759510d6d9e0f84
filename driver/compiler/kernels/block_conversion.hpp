// SPDX-License-Identifier: Apache-2.0
// Conversion of a part of a tensor to block floating point.
#pragma once

#include "block_view.hpp"
#include "kernels.hpp"

namespace systole::compiler {

/// Appends the VECTORs that convert `lines` positions, of `planes` planes of DIM channels: binary32 at `words` to
/// blocks at `to`.
void append_conversion(Builder& builder, const ChipPlanes& words, const ChipPlanes& to, int lines, int planes);

/// Where the blocks of a part begin: a position, and a group of channels (BlockLanes).
struct BlockPlace {
  int position = 0, group = 0;
};

/// As to_blocks(), of the positions and channels of `input`, which are a part of those of `output`.
void to_blocks_at(Builder& builder, const TensorView& input, const BlockView& output, const BlockPlace& place);

}  // namespace systole::compiler
