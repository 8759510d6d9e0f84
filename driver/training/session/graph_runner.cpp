// SPDX-License-Identifier: Apache-2.0
#include "graph_runner.hpp"

#include <memory>

#include "block_step.hpp"
#include "systole/execute.hpp"
#include "systole/quantizer.hpp"

namespace systole::training {

const graph::Graph& GraphRunner::converted(const graph::Graph& graph) {
  if (!blocks_) {
    return graph;
  }
  auto found = in_blocks_.find(&graph);
  if (found == in_blocks_.end()) {
    found = in_blocks_.emplace(&graph, quantizer::to_blocks(for_blocks(graph))).first;
  }
  return found->second;
}

std::vector<graph::Value> GraphRunner::run(const graph::Graph& graph, const std::vector<graph::Value>& inputs) {
  if (device_ == nullptr) {
    return execute(converted(graph), inputs);
  }
  auto found = networks_.find(&graph);
  if (found == networks_.end()) {
    found = networks_.emplace(&graph, systole::Network(*device_, converted(graph))).first;
  }
  return found->second.run(inputs, options_);
}

const systole::Network* GraphRunner::network(const graph::Graph& graph) const {
  const auto found = networks_.find(&graph);
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
