// SPDX-License-Identifier: Apache-2.0
// Where the operators of a network run, without a device.
#pragma once

#include <string>
#include <vector>

#include "systole/configurations.hpp"
#include "systole/graph.hpp"

namespace systole {

struct PlannedOperator {
  bool on_device = false;
  std::string reason;  ///< why not on the device
};

struct ExecutionPlan {
  graph::Graph graph;  ///< as compile_network() compiles it: conversions of its own may have been added
  std::vector<PlannedOperator> operators;  ///< one for each operator of the graph
};

/// What compile_network() decides, which this calls: what does not fit the configuration shows only there. Throws what
/// that throws.
ExecutionPlan plan_execution(const graph::Graph& graph, const Configuration& configuration);

}  // namespace systole
