// SPDX-License-Identifier: Apache-2.0
// Moves that follow each other, as one.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// A layer that moves bytes of one tensor, and the only one that reads its result and moves those, become one layer if
/// that has no more transfers than both. One that would change nothing is a reshape.
std::int64_t compose_moves(SegmentContext& context);

}  // namespace systole::network
