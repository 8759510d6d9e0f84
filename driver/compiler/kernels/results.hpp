// SPDX-License-Identifier: Apache-2.0
// Stores results from the scratchpad.
#pragma once

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

}  // namespace systole::compiler
