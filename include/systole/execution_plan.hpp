// SPDX-License-Identifier: Apache-2.0
// Tells where the operators of a network would run. Needs no device.
#pragma once

#include <string>
#include <vector>

#include "systole/compiled_network.hpp"
#include "systole/configurations.hpp"
#include "systole/graph.hpp"

namespace systole {

struct PlannedOperator {
  bool on_device = false;
  std::string reason;   ///< why it does not run on the device
  std::string refusal;  ///< why the host does not compute it either; empty if it does
};

struct ExecutionPlan {
  graph::Graph graph;                      ///< as compile_network() compiles it; it may have added Convert operators
  std::vector<PlannedOperator> operators;  ///< one per operator of the graph
};

/// The decisions of compile_network(). Compiles the network, because whether an operator fits the configuration is only
/// known then. Throws what compile_network() throws.
ExecutionPlan plan_execution(const graph::Graph& graph, const Configuration& configuration,
                             const CompileOptions& options = {});

}  // namespace systole
