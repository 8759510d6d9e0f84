// SPDX-License-Identifier: Apache-2.0
// Products of computed matrices read and write transposed tensors in place.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Removes transpositions that a product can do by the way in which it reads an operand or writes its result: where
/// rows or columns of each matrix follow each other in the other tensor, too. `wanted` tensors stay.
std::int64_t fuse_transpositions(SegmentContext& context);

}  // namespace systole::network
