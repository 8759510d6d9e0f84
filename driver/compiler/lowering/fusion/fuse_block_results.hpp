// SPDX-License-Identifier: Apache-2.0
// Joins products in block floating point with what follows them: bias, the sum with a tensor that is already there,
// limits, and the conversion to blocks.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// `wanted` are tensors that must stay. A conversion is fused only where DIM is at least 16; conversions of the same
/// tensor become one. A large result that others read as binary32, too, leaves in both forms.
std::int64_t fuse_block_results(SegmentContext& context);

}  // namespace systole::network
