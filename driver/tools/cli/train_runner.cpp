// SPDX-License-Identifier: Apache-2.0
#include "train_runner.hpp"

#include <map>
#include <memory>
#include <utility>

#include "systole/execute.hpp"
#include "systole/network.hpp"
#include "systole/quantizer.hpp"

namespace systole::cli {
namespace {

struct OnDevice {
  Device device;
  std::map<const graph::Graph*, Network> networks;
};

/// Runs graphs with products in block floating point, each converted once.
training::Runner in_blocks(training::Runner run) {
  auto converted = std::make_shared<std::map<const graph::Graph*, graph::Graph>>();
  return [run = std::move(run), converted](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
    auto found = converted->find(&graph);
    if (found == converted->end()) {
      found = converted->emplace(&graph, quantizer::to_blocks(graph)).first;
    }
    return run(found->second, inputs);
  };
}

training::Runner as_it_is(const DeviceOptions& options) {
  if (options.device == "host") {
    return [](const graph::Graph& graph, const std::vector<graph::Value>& inputs) { return execute(graph, inputs); };
  }
  auto there = std::shared_ptr<OnDevice>(new OnDevice{open_device(options), {}});
  return [there, options](const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
    auto found = there->networks.find(&graph);
    if (found == there->networks.end()) {
      found = there->networks.emplace(&graph, Network(there->device, graph)).first;
    }
    return found->second.run(inputs, options.run_options());
  };
}

}  // namespace

training::Runner runner(const DeviceOptions& options, Precision precision) {
  return precision == Precision::kMx ? in_blocks(as_it_is(options)) : as_it_is(options);
}

}  // namespace systole::cli
