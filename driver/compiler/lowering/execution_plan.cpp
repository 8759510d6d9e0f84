// SPDX-License-Identifier: Apache-2.0
#include "systole/execution_plan.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "systole/compiled_network.hpp"

namespace systole {

ExecutionPlan plan_execution(const graph::Graph& graph, const Configuration& configuration) {
  constexpr std::uint64_t kEnd = 0xFFFF'FFC0;
  CompiledNetwork network =
      compile_network(graph, configuration, std::make_shared<AddressSpace>(kBufferAlignment, kEnd));
  ExecutionPlan plan{std::move(network.graph), {}};
  plan.operators.resize(plan.graph.operators.size(), {true, ""});
  for (NetworkStep& step : network.steps) {
    if (auto* host = std::get_if<HostStep>(&step)) {
      plan.operators.at(static_cast<std::size_t>(host->op)) = {false, std::move(host->reason)};
    }
  }
  return plan;
}

}  // namespace systole
