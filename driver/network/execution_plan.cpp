// SPDX-License-Identifier: Apache-2.0
#include "systole/execution_plan.hpp"

#include "network/legalize.hpp"
#include "network/segments.hpp"

namespace systole {

ExecutionPlan plan_execution(const graph::Graph& graph, const Configuration&) {
  graph::validate(graph);
  ExecutionPlan plan{graph, {}};
  network::legalize(plan.graph);
  plan.operators.resize(plan.graph.operators.size(), {true, ""});
  for (const network::Step& step : network::make_steps(plan.graph)) {
    if (const auto* host = std::get_if<HostStep>(&step)) {
      plan.operators[static_cast<std::size_t>(host->op)] = {false, host->reason};
    }
  }
  return plan;
}

}  // namespace systole
