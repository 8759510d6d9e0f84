// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "check_macs.hpp"
#include "emit_program.hpp"
#include "fuse_conversions.hpp"
#include "fuse_gradient_tiles.hpp"
#include "fuse_maxima.hpp"
#include "fuse_pool_gradients.hpp"
#include "fuse_row_blocks.hpp"
#include "fused_elements.hpp"
#include "legalize.hpp"
#include "limit_before_maxima.hpp"
#include "segments.hpp"
#include "separate_tiles.hpp"
#include "systole/compiled_network.hpp"

namespace systole {
namespace {

std::vector<NetworkStep> compiled_steps(const CompiledNetwork& network, const std::map<int, std::string>& refused,
                                        const std::set<int>& plain, const std::shared_ptr<AddressSpace>& memory) {
  std::vector<NetworkStep> steps;
  for (network::Step& step : network::make_steps(network.graph, refused, plain)) {
    if (auto* segment = std::get_if<network::Segment>(&step)) {
      network::fuse_pool_gradients(segment->layers, segment->outputs, network.graph, plain);
      network::limit_before_maxima(segment->layers, segment->outputs, network.graph);
      network::fuse_second_results(segment->layers, segment->outputs, network.graph);
      network::fuse(segment->layers, segment->outputs, network.configuration);
      network::fuse_row_blocks(segment->layers, segment->outputs, network.configuration, plain);
      network::fuse_conversions(segment->layers, segment->outputs, network.configuration, plain);
      network::fuse_maxima(segment->layers, network.configuration, plain);
      network::separate_tiles(*segment, network.graph, network.configuration);
      network::fuse_gradient_tiles(segment->layers, segment->outputs, network.configuration, plain);
      network::check_macs(*segment, network.graph);
      if (!segment->layers.empty()) {  // empty if all were reshapes with unused results
        steps.emplace_back(network::compile(*segment, network.graph, network.configuration, memory));
      }
    } else {
      steps.emplace_back(std::move(std::get<HostStep>(step)));
    }
  }
  return steps;
}

}  // namespace

CompiledNetwork compile_network(const graph::Graph& graph, const Configuration& configuration,
                                const std::shared_ptr<AddressSpace>& memory) {
  graph::validate(graph);
  CompiledNetwork network{graph, configuration, {}};
  network::legalize(network.graph);
  std::map<int, std::string> refused;  // operators that did not fit on the device
  std::set<int> plain;                 // those that did not fit in another way than the plain one
  for (;;) {
    try {
      network.steps = compiled_steps(network, refused, plain, memory);
      return network;
    } catch (const network::NotOnDevice& error) {
      if (!error.has_plain() || !plain.insert(error.op()).second) {
        refused.emplace(error.op(), error.reason());
      }
    }
  }
}

std::string run_name(const DeviceStep& step, std::size_t number) {
  return step.program.labels.size() == 1 ? step.program.labels[0] : fmt::format("program {}", number + 1);
}

}  // namespace systole
