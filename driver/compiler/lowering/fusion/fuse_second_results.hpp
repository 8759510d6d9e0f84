// SPDX-License-Identifier: Apache-2.0
// Second results of element-wise kernels.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// What a chain of element-wise operators reads of another one becomes its second result, if both are results of the
/// program, where the second would have to be written and read again. Elsewhere it may stay in the scratchpad.
std::int64_t fuse_second_results(SegmentContext& context);

}  // namespace systole::network
