// SPDX-License-Identifier: Apache-2.0
// Small networks whose layers overlap in many ways: chains of convolutions, depthwise convolutions, pools, residuals,
// channel halves of which one is processed (as in ShuffleNet), and products of computed matrices.
#pragma once

#include <cstdint>

#include "systole/graph.hpp"

namespace systole::test {

/// The same for the same seed.
graph::Graph random_network(std::uint64_t seed);

}  // namespace systole::test
