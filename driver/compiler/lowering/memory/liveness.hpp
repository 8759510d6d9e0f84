// SPDX-License-Identifier: Apache-2.0
// Liveness: the live ranges of a segment's tensors.
#pragma once

#include <map>

#include "segment.hpp"

namespace systole::network {

/// Live range: the first and last layer during which a tensor exists.
struct LiveRange {
  int from = 0, to = 0;
};

/// Whether two live ranges overlap.
inline bool overlap(const LiveRange& a, const LiveRange& b) { return a.from <= b.to && b.from <= a.to; }

/// Live range of every tensor that a layer reads or computes: from the layer that computes it (the first layer for an
/// input of the segment) to the last layer that reads it (the last layer for an output of the segment). All layers of
/// a chain run at the same time.
std::map<graph::TensorId, LiveRange> live_ranges(const Segment& segment);

}  // namespace systole::network
