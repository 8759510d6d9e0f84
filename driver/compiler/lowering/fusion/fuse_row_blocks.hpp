// SPDX-License-Identifier: Apache-2.0
// Conversions to blocks of what a kernel made for a few rows computes, as part of the kernel.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Kernels that can (KernelCall::to_blocks), whose results only one conversion reads, make blocks in the scratchpad,
/// where DIM is at least 16. Tensors in `wanted` must stay. Not those of operators in `plain`.
std::int64_t fuse_row_blocks(SegmentContext& context);

}  // namespace systole::network
