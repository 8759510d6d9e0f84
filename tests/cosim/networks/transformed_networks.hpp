// SPDX-License-Identifier: Apache-2.0
// Small networks of every kind, to which most of the compiler's transformations apply.
#pragma once

#include <string>
#include <vector>

#include "systole/graph.hpp"
#include "systole/graph_value.hpp"

namespace systole::test {

struct NetworkCase {
  std::string name;
  graph::Graph graph;
  std::vector<graph::Value> inputs;
};

/// The same for the same seed.
std::vector<NetworkCase> transformed_networks(std::uint32_t seed);

}  // namespace systole::test
