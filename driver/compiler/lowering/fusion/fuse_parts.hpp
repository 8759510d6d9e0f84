// SPDX-License-Identifier: Apache-2.0
// Parts of tensors that are read in place, without a move.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Layers that read some channels of a tensor, which a move would bring together, read them where they are. So does a
/// conversion to blocks that reads several tensors one after another, or side by side. Moves that are left for the
/// segment's results come last.
std::int64_t fuse_parts(SegmentContext& context);

/// Moves conversions to blocks directly behind what they read, and copies that are results of the program and nothing
/// else to its end.
std::int64_t order_conversions(SegmentContext& context);

}  // namespace systole::network
