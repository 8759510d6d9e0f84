// SPDX-License-Identifier: Apache-2.0
// Valid graphs with every kind of operator, for code that reads and writes graphs.
#pragma once

#include <cstdint>

#include "systole/graph.hpp"

namespace systole::test {

/// About `operators` operators, mostly on float32, with random parameters, shapes, names and constants.
graph::Graph random_graph(std::uint64_t seed, int operators);

}  // namespace systole::test
