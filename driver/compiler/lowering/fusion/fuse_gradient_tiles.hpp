// SPDX-License-Identifier: Apache-2.0
// Joins gradients of maximum pools with the layers that make weight tiles of them: the gradient of the image never is
// in device memory.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Where nothing else reads the gradient, which is the kernel of a convolution, whole images of it. `wanted` are
/// tensors that must stay; `plain` operators keep their gradients.
std::int64_t fuse_gradient_tiles(SegmentContext& context);

}  // namespace systole::network
