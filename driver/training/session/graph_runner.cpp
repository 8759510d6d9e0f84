// SPDX-License-Identifier: Apache-2.0
#include "graph_runner.hpp"

#include <memory>

#include "block_step.hpp"
#include "systole/execute.hpp"
#include "systole/quantizer.hpp"

namespace systole::training {
namespace {

/// What was made of the graph, by make() if it is new. What was made of graphs that are no more ends then.
template <class Map, class Make>
auto& made_of(Map& all, const graph::Graph& graph, const Make& make) {
  const auto mark = graph.identity.mark();
  auto found = all.find(mark);
  if (found == all.end()) {
    std::erase_if(all, [](const auto& entry) { return entry.first.expired(); });
    found = all.emplace(mark, make()).first;
  }
  return found->second;
}

}  // namespace

const graph::Graph& GraphRunner::converted(const graph::Graph& graph) {
  if (!blocks_) {
    return graph;
  }
  const std::lock_guard<std::mutex> lock(converting_);
  return made_of(in_blocks_, graph, [&] { return quantizer::to_blocks(for_blocks(graph)); });
}

std::vector<graph::Value> GraphRunner::run(const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
  if (device_ == nullptr) {
    return execute(converted(graph), inputs);
  }
  return made_of(networks_, graph, [&] { return systole::Network(*device_, converted(graph)); }).run(inputs, options_);
}

const systole::Network* GraphRunner::network(const graph::Graph& graph) const {
  const auto found = networks_.find(graph.identity.mark());
  return found == networks_.end() ? nullptr : &found->second;
}

namespace {

Runner running(Device* device, bool blocks) {
  const auto runner = std::make_shared<GraphRunner>(device, RunOptions{}, blocks);
  return [runner](const graph::Graph& graph, const auto& inputs) { return runner->run(graph, inputs); };
}

}  // namespace

Runner on_host(bool blocks) { return running(nullptr, blocks); }
Runner on_device(Device& device, bool blocks) { return running(&device, blocks); }

}  // namespace systole::training
