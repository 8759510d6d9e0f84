// SPDX-License-Identifier: Apache-2.0
// The gradient of a maximum pool, which graphs have as comparisons and selections for each tap of the window.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Where the windows tile the image, one kernel computes all taps: the layers that did become one. Results of operators
/// in `plain` stay as they are.
std::int64_t fuse_pool_gradients(SegmentContext& context);

}  // namespace systole::network
