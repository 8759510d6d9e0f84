// SPDX-License-Identifier: Apache-2.0
// Joins conversions to blocks with the products that alone read them: the operand becomes blocks on its way to the
// array.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// `wanted` are tensors that must stay; `plain` operators keep their conversions. Small blocks stay in the scratchpad,
/// where the product finds them.
std::int64_t fuse_conversions(SegmentContext& context);

}  // namespace systole::network
