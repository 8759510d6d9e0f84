// SPDX-License-Identifier: Apache-2.0
// What a block is in a convolution in block floating point.
#pragma once

#include "systole/graph.hpp"

namespace systole::graph {

/// Whether blocks are cut from whole windows, as weights OHWI lie, not from the channels of each tap: with fewer
/// channels than a block has elements, most of it would be zeros.
inline bool reduces_windows(const Shape& filter) {
  constexpr std::int64_t kBlockElements = 16;
  return filter[3] < kBlockElements && filter[1] * filter[2] > 1;
}

}  // namespace systole::graph
