// SPDX-License-Identifier: Apache-2.0
#include "train_runner.hpp"

#include <map>
#include <memory>

#include "systole/execute.hpp"
#include "systole/network.hpp"

namespace systole::cli {
namespace {

struct OnDevice {
  Device device;
  std::map<const graph::Graph*, Network> networks;
};

}  // namespace

training::Runner runner(const DeviceOptions& options) {
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

}  // namespace systole::cli
