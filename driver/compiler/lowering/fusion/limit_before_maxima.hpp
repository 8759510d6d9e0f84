// SPDX-License-Identifier: Apache-2.0
// A rectifier behind a maximum pool is one before it as well: the product that makes the pool's image can limit its
// results at no cost, so that nothing has to read and write the maxima for it.
#pragma once

#include "segment_context.hpp"

namespace systole::network {

/// Moves rectifiers of maxima to results of products in block floating point. Where the gradient of the pool is
/// computed, too, it reads what is limited: it is the same, as long as that of the rectifier is zero where it limits.
std::int64_t limit_before_maxima(SegmentContext& context);

}  // namespace systole::network
