// SPDX-License-Identifier: Apache-2.0
// How results leave the scratchpad.
#pragma once

#include "sources.hpp"

namespace systole::compiler {

/// Lines of a tile in staging: `bytes` of every position from byte `first_byte` of it on, DIM bytes a plane.
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
