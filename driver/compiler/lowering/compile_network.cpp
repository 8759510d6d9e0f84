// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "check_macs.hpp"
#include "compile_segment.hpp"
#include "emit_program.hpp"
#include "layer_listing.hpp"
#include "layer_passes.hpp"
#include "make_steps.hpp"
#include "simplify.hpp"
#include "systole/compiled_network.hpp"

namespace systole {
namespace {

/// The whole network, which its operators leave as steps.
struct Lowering {
  const CompiledNetwork& network;
  const graph::IndexedGraph& graph;
  const std::map<int, std::string>& refused;
  const std::set<int>& plain;
  Transformations& transformations;
  std::vector<network::Step> steps = {};
  std::size_t program = 0;

  Amount amount() const {
    std::size_t layers = 0;
    for (const network::Step& step : steps) {
      const auto* segment = std::get_if<network::Segment>(&step);
      layers += segment != nullptr ? segment->layers.size() : 1;
    }
    return steps.empty() ? Amount{network.graph.operators.size(), "operator"} : Amount{layers, "layer"};
  }
  std::string listing() const {
    std::string text;
    for (const network::Step& step : steps) {
      if (const auto* host = std::get_if<HostStep>(&step)) {
        const graph::Operator& op = network.graph.operators.at(static_cast<std::size_t>(host->op));
        text += fmt::format("{}: on the host: {}\n", op.name, host->reason);
      } else {
        text += network::listing(std::get<network::Segment>(step), network.graph);
      }
    }
    return text;
  }
  void finish() const {}
};

std::int64_t lower(Lowering& lowering) {
  const CompiledNetwork& network = lowering.network;
  lowering.steps = network::make_steps(lowering.graph, network.configuration, lowering.refused, lowering.plain,
                                       lowering.transformations);
  return static_cast<std::int64_t>(network.graph.operators.size());
}

std::vector<NetworkStep> compiled_steps(const CompiledNetwork& network, const MemoryTiming& memory,
                                        const std::map<int, std::string>& refused, const std::set<int>& plain,
                                        Transformations& transformations) {
  const graph::IndexedGraph graph(network.graph);
  Lowering lowering{network, graph, refused, plain, transformations};
  run_pass({Transformation::kLower, lower}, lowering, transformations);
  std::vector<NetworkStep> steps;
  std::size_t programs = 0;
  for (network::Step& step : lowering.steps) {
    if (auto* segment = std::get_if<network::Segment>(&step)) {
      segment->memory = memory;
      network::SegmentContext context{*segment, graph, network.configuration, plain, programs++};
      run_passes(network::layer_passes(), context, transformations);
      network::check_macs(*segment, network.graph);
      if (!segment->layers.empty()) {  // empty if all were reshapes with unused results
        steps.emplace_back(
            network::compile(*segment, network.graph, network.configuration, transformations, context.program));
      }
    } else {
      steps.emplace_back(std::move(std::get<HostStep>(step)));
    }
  }
  return steps;
}

}  // namespace

CompiledNetwork compile_network(const graph::Graph& graph, const Configuration& configuration,
                                const CompileOptions& options) {
  const Transformations chosen(options.without, options.log);
  graph::validate(graph);
  CompiledNetwork network{graph, configuration, {}};
  Transformations transformations = chosen;
  graph::GraphSubject whole{network.graph};
  run_pass(graph::kLegalize, whole, transformations);
  const std::size_t runs = options.log == nullptr ? 0 : options.log->runs().size();
  std::map<int, std::string> refused;  // operators that did not fit on the device
  std::set<int> plain;                 // those that did not fit in another way than the plain one
  for (;;) {
    try {
      transformations = chosen;
      network.steps = compiled_steps(network, options.memory, refused, plain, transformations);
      network.transformations = transformations.counts();
      return network;
    } catch (const network::NotOnDevice& error) {
      const bool to_host = !error.has_plain() || !plain.insert(error.op()).second;
      if (to_host) {
        refused.emplace(error.op(), error.reason());
      }
      if (options.log != nullptr) {
        const std::string& name = network.graph.operators.at(static_cast<std::size_t>(error.op())).name;
        options.log->restart(
            runs, fmt::format("{} goes to {}: {}", name, to_host ? "the host" : "the plain lowering", error.reason()));
      }
    }
  }
}

std::string run_name(const DeviceStep& step, std::size_t number) {
  return step.program.labels.size() == 1 ? step.program.labels[0] : fmt::format("program {}", number + 1);
}

}  // namespace systole
