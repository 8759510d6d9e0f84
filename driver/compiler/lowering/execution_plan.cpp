// SPDX-License-Identifier: Apache-2.0
#include "systole/execution_plan.hpp"

#include <utility>
#include <variant>

#include "systole/compiled_network.hpp"
#include "systole/execute.hpp"

namespace systole {

ExecutionPlan plan_execution(const graph::Graph& graph, const Configuration& configuration,
                             const CompileOptions& options) {
  CompiledNetwork network = compile_network(graph, configuration, options);
  ExecutionPlan plan{std::move(network.graph), {}};
  plan.operators.resize(plan.graph.operators.size(), {true, "", ""});
  for (NetworkStep& step : network.steps) {
    if (auto* host = std::get_if<HostStep>(&step)) {
      const auto op = static_cast<std::size_t>(host->op);
      plan.operators.at(op) = {false, std::move(host->reason), graph::refusal_of(plan.graph, plan.graph.operators[op])};
    }
  }
  return plan;
}

}  // namespace systole
