// SPDX-License-Identifier: Apache-2.0
// Layers beside each other: products are in one lane of the program, everything else in another (Builder::set_lane), so
// that the vector unit, LOADs and STOREs work for later or earlier layers while the matrix unit multiplies, as far as
// what they read is there. Each lane has rows of the scratchpad of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "row_chains.hpp"

namespace systole::network {

/// With lanes, a gradient of maxima and its conversion to blocks, if they are neighbours in the `order`, take turns: a
/// quarter of the images at a time.
std::vector<Piece> in_turns(const std::vector<Piece>& order, const Segment& segment);

/// The segment with layers in lanes and in another topological order, if layers other than products take enough of the
/// `cycles`, of each layer when they run one after another, and have none of its multiply-accumulates. Of the layers
/// that could be next in a lane, the one comes first on which the longest way to the end begins: "active schedules" in
/// Giffler and Thompson, "Algorithms for Solving Production-Scheduling Problems".
std::optional<Segment> overlapped(const Segment& segment, const std::vector<std::int64_t>& cycles,
                                  const Configuration& configuration);

}  // namespace systole::network
