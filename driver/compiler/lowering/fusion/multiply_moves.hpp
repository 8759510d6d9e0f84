// SPDX-License-Identifier: Apache-2.0
// Moves of single bytes as products with ones and zeros, which are exact: the array moves the bytes of a tile in a
// cycle where transfers move one. Weight tiles that are zeros take a cycle each.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Permutations of channels, and transpositions of a few planes to channels, where products are faster than transfers.
std::int64_t multiply_moves(SegmentContext& context);

}  // namespace systole::network
