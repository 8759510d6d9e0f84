// SPDX-License-Identifier: Apache-2.0
#include "train_runner.hpp"

#include <map>
#include <memory>
#include <utility>

#include "block_step.hpp"
#include "systole/execute.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

namespace systole::cli {
namespace {

struct OnDevice {
  Device device;
  std::map<const graph::Graph*, Network> networks;
  std::map<const graph::Graph*, GraphCost> costs;
  std::map<const graph::Graph*, NetworkRun> last;
};

/// Runs graphs with products in block floating point, each converted once.
TrainRunner in_blocks(TrainRunner inner) {
  auto converted = std::make_shared<std::map<const graph::Graph*, graph::Graph>>();
  const auto run = [inner, converted](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
    auto found = converted->find(&graph);
    if (found == converted->end()) {
      found = converted->emplace(&graph, quantizer::to_blocks(training::for_blocks(graph))).first;
    }
    return inner.run(found->second, inputs);
  };
  const auto cost = [inner, converted](const graph::Graph& graph) {
    const auto found = converted->find(&graph);
    return found == converted->end() ? GraphCost{} : inner.cost(found->second);
  };
  const auto last = [inner, converted](const graph::Graph& graph) -> const NetworkRun* {
    const auto found = converted->find(&graph);
    return found == converted->end() ? nullptr : inner.last(found->second);
  };
  return {run, cost, last, inner.finish};
}

void add_run(GraphCost& cost, const Network& network) {
  ++cost.runs;
  cost.on_host = 0;
  for (const StepReport& step : network.steps()) {
    cost.cycles += step.stats.cycles;
    cost.on_host += step.on_device ? 0 : 1;
  }
}

TrainRunner as_it_is(const DeviceOptions& options) {
  if (options.device == "host") {
    return {[](const graph::Graph& graph, const std::vector<graph::Value>& inputs) { return execute(graph, inputs); },
            [](const graph::Graph&) { return GraphCost{}; },
            [](const graph::Graph&) -> const NetworkRun* { return nullptr; }, [] {}};
  }
  auto there = std::shared_ptr<OnDevice>(new OnDevice{open_device(options), {}, {}, {}});
  const auto run = [there, options](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
    auto found = there->networks.find(&graph);
    if (found == there->networks.end()) {
      found = there->networks.emplace(&graph, Network(there->device, graph)).first;
    }
    NetworkRun record{make_run(there->device, graph.name), {}, 0, {}};
    const Stopwatch stopwatch(there->device);
    auto results = found->second.run(inputs, options.run_options());
    stopwatch.stop(record.run);
    add_run(there->costs[&graph], found->second);
    if (const auto before = there->last.find(&graph); before != there->last.end()) {
      record.nonfinite = before->second.nonfinite;
    }
    record.take(found->second);
    record.run.against = "the host does not compute the step";
    there->last.insert_or_assign(&graph, std::move(record));
    return results;
  };
  return {run, [there](const graph::Graph& graph) { return there->costs[&graph]; },
          [there](const graph::Graph& graph) -> const NetworkRun* {
            const auto found = there->last.find(&graph);
            return found == there->last.end() ? nullptr : &found->second;
          },
          [there, options] { finish_recordings(options, there->device); }};
}

}  // namespace

TrainRunner runner(const DeviceOptions& options, Precision precision) {
  return precision == Precision::kMx ? in_blocks(as_it_is(options)) : as_it_is(options);
}

}  // namespace systole::cli
