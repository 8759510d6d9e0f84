// SPDX-License-Identifier: Apache-2.0
// Stores results from the scratchpad.
#pragma once

#include "block_view.hpp"
#include "sources.hpp"

namespace systole::compiler {

/// Lines of a tile in staging: `bytes` of every position, starting at its byte `first_byte`, DIM bytes per plane.
struct Staged {
  TileShape shape;
  TilePlace place;
  Range lines;
  std::int64_t first_byte = 0;
  int bytes = 0;
  int row = 0;    ///< scratchpad row of the first position, first plane
  int plane = 0;  ///< rows from plane to plane
};

/// Appends the STORE.
void store_results(Builder& builder, const Output& output, const Staged& staged);

/// Positions [first, first + count) of some groups of channels, as blocks: `row` of the first position, whose exponents
/// begin a row, first plane; planes are `plane` rows apart.
struct StagedBlocks {
  Range groups;
  std::int64_t first = 0;
  int count = 0;
  int row = 0;
  int plane = 0;
};

/// Appends the STOREs of mantissas and exponents.
void store_blocks(Builder& builder, const BlockView& to, const StagedBlocks& staged);

}  // namespace systole::compiler
