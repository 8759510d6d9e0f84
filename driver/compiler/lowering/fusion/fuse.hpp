// SPDX-License-Identifier: Apache-2.0
// Layers of int8 that become part of their neighbours.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Padding becomes that of the following convolution or pool.
std::int64_t fuse_padding(SegmentContext& context);

/// An addition becomes part of the convolution that computes its operand.
std::int64_t fuse_additions(SegmentContext& context);

/// A table becomes part of the table or convolution before it.
std::int64_t fuse_tables(SegmentContext& context);

/// A fully connected layer of a flattened image becomes a convolution whose kernel covers the image.
std::int64_t fuse_flattening(SegmentContext& context);

/// Readers of a reshape see the bytes of its operand in another shape.
std::int64_t drop_reshapes(SegmentContext& context);

}  // namespace systole::network
