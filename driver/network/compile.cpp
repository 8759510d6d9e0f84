// SPDX-License-Identifier: Apache-2.0
#include <utility>
#include <variant>

#include "network/balance.hpp"
#include "network/emit.hpp"
#include "network/legalize.hpp"
#include "network/segments.hpp"
#include "systole/network.hpp"

namespace systole {
namespace {

DeviceStep compiled(network::Segment& segment, const CompiledNetwork& network, const std::shared_ptr<AddressSpace>& memory) {
  network::fuse(segment.layers, segment.outputs, network.configuration.dim);
  network::check_macs(segment, network.graph);
  DeviceStep step = network::compile(segment, network.configuration, memory);
  for (std::size_t i = 0; i < segment.layers.size(); ++i) {
    const network::Layer& layer = segment.layers[i];
    step.layers[i].shape = graph::to_string(network.graph.tensor(layer.output).shape);
  }
  return step;
}

}  // namespace

CompiledNetwork compile_network(const graph::Graph& graph, const Configuration& configuration,
                                const std::shared_ptr<AddressSpace>& memory) {
  graph::validate(graph);
  CompiledNetwork network{graph, configuration, {}};
  network::legalize(network.graph);
  for (network::Step& step : network::make_steps(network.graph)) {
    if (auto* segment = std::get_if<network::Segment>(&step)) {
      network.steps.emplace_back(compiled(*segment, network, memory));
    } else {
      network.steps.emplace_back(std::move(std::get<HostStep>(step)));
    }
  }
  return network;
}

}  // namespace systole
