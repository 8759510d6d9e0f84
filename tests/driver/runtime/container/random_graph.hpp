// SPDX-License-Identifier: Apache-2.0
// Valid graphs of every kind of operator, for whatever reads and writes graphs.
#pragma once

#include <cstdint>

#include "systole/graph.hpp"

namespace systole::test {

/// About `operators` operators, mostly on float32, whose parameters, shapes, names and constants are random.
graph::Graph random_graph(std::uint64_t seed, int operators);

}  // namespace systole::test
