// SPDX-License-Identifier: Apache-2.0
// Joins maximum pools with the products whose results they read: the maxima are computed while the results are in the
// scratchpad.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Of products in block floating point whose rows are the image's positions, if the windows tile the image. `plain`
/// operators keep their pools.
std::int64_t fuse_maxima(SegmentContext& context);

}  // namespace systole::network
