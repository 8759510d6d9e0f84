// SPDX-License-Identifier: Apache-2.0
#include "train_runner.hpp"

#include <map>
#include <memory>
#include <utility>

#include "graph_runner.hpp"
#include "systole/network.hpp"

namespace systole::cli {
namespace {

struct OnDevice {
  OnDevice(const DeviceOptions& options, bool blocks)
      : device(open_device(options)), graphs(&device, options.run_options(), blocks) {}
  Device device;
  training::GraphRunner graphs;
  std::map<const graph::Graph*, GraphCost> costs;
  std::map<const graph::Graph*, NetworkRun> last;
};

void add_run(GraphCost& cost, const Network& network) {
  ++cost.runs;
  cost.on_host = 0;
  for (const StepReport& step : network.steps()) {
    cost.cycles += step.stats.cycles;
    cost.on_host += step.on_device ? 0 : 1;
  }
}

}  // namespace

TrainRunner runner(const DeviceOptions& options, Precision precision) {
  const bool blocks = precision == Precision::kMx;
  if (options.device == "host") {
    return {training::on_host(blocks), [](const graph::Graph&) { return GraphCost{}; },
            [](const graph::Graph&) -> const NetworkRun* { return nullptr; }, [] {}};
  }
  const auto there = std::make_shared<OnDevice>(options, blocks);
  const auto run = [there](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
    NetworkRun record{make_run(there->device, graph.name), {}, 0, {}};
    const Stopwatch stopwatch(there->device);
    auto results = there->graphs.run(graph, inputs);
    stopwatch.stop(record.run);
    const Network& network = *there->graphs.network(graph);
    add_run(there->costs[&graph], network);
    if (const auto before = there->last.find(&graph); before != there->last.end()) {
      record.nonfinite = before->second.nonfinite;
    }
    record.take(network);
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

}  // namespace systole::cli
