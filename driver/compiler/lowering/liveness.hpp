// SPDX-License-Identifier: Apache-2.0
// How long tensors of a segment exist.
#pragma once

#include <map>

#include "segments.hpp"

namespace systole::network {

/// First and last layer at whose time a tensor exists.
struct Life {
  int from = 0, to = 0;
};

/// Whether two tensors exist at the same time.
inline bool meet(const Life& a, const Life& b) { return a.from <= b.to && b.from <= a.to; }

/// Of every tensor that a layer reads or makes: from the layer that makes it, the first for one that was there before,
/// to the last that reads it, the last of all for one that is wanted afterwards.
std::map<graph::TensorId, Life> lives_of(const Segment& segment);

}  // namespace systole::network
