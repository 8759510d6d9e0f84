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
#include "fuse.hpp"
#include "fuse_conversions.hpp"
#include "fuse_gradient_tiles.hpp"
#include "fuse_maxima.hpp"
#include "fuse_pool_gradients.hpp"
#include "fuse_row_blocks.hpp"
#include "fuse_second_results.hpp"
#include "legalize.hpp"
#include "limit_before_maxima.hpp"
#include "make_steps.hpp"
#include "separate_tiles.hpp"
#include "systole/compiled_network.hpp"

namespace systole {
namespace {

/// Matrices of words are turned by LOAD only if that is on, and the array wide enough.
void choose_word_transpositions(std::vector<network::Layer>& layers, const Configuration& configuration,
                                Transformations& transformations) {
  for (network::Layer& layer : layers) {
    if (!network::turns_words(layer, configuration)) {
      continue;
    }
    if (transformations.on(Transformation::kWordTranspositions)) {
      transformations.count(Transformation::kWordTranspositions);
    } else {
      std::get<network::MoveLayer>(layer.kind).words.reset();
    }
  }
}

/// Joins layers with their neighbours, and divides them where that is faster.
void transform(network::Segment& segment, const CompiledNetwork& network, const std::set<int>& plain,
               Transformations& transformations) {
  std::vector<network::Layer>& layers = segment.layers;
  const Configuration& configuration = network.configuration;
  choose_word_transpositions(layers, configuration, transformations);
  network::fuse_pool_gradients(layers, segment.outputs, network.graph, plain, transformations);
  network::limit_before_maxima(layers, segment.outputs, network.graph, transformations);
  network::fuse_second_results(layers, segment.outputs, network.graph, transformations);
  network::fuse(layers, segment.outputs, configuration, transformations);
  network::fuse_row_blocks(layers, segment.outputs, configuration, plain, transformations);
  network::fuse_conversions(layers, segment.outputs, configuration, plain, transformations);
  network::fuse_maxima(layers, configuration, plain, transformations);
  network::separate_tiles(segment, network.graph, configuration);
  network::fuse_gradient_tiles(layers, segment.outputs, configuration, plain, transformations);
}

std::vector<NetworkStep> compiled_steps(const CompiledNetwork& network, const MemoryTiming& memory,
                                        const std::map<int, std::string>& refused, const std::set<int>& plain,
                                        Transformations& transformations) {
  std::vector<NetworkStep> steps;
  for (network::Step& step :
       network::make_steps(network.graph, network.configuration, refused, plain, transformations)) {
    if (auto* segment = std::get_if<network::Segment>(&step)) {
      segment->memory = memory;
      transform(*segment, network, plain, transformations);
      network::check_macs(*segment, network.graph);
      if (!segment->layers.empty()) {  // empty if all were reshapes with unused results
        steps.emplace_back(network::compile(*segment, network.graph, network.configuration, transformations));
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
  const Transformations chosen(options.without);
  graph::validate(graph);
  CompiledNetwork network{graph, configuration, {}};
  network::legalize(network.graph);
  std::map<int, std::string> refused;  // operators that did not fit on the device
  std::set<int> plain;                 // those that did not fit in another way than the plain one
  for (;;) {
    try {
      Transformations transformations = chosen;
      network.steps = compiled_steps(network, options.memory, refused, plain, transformations);
      network.transformations = transformations.counts();
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
