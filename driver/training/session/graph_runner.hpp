// SPDX-License-Identifier: Apache-2.0
// Runs the graphs of a training, on the host or on a device.
#pragma once

#include <map>
#include <vector>

#include "systole/device.hpp"
#include "systole/network.hpp"
#include "systole/training.hpp"

namespace systole::training {

class GraphRunner {
 public:
  /// On the host if `device` is null; it outlives the runner. `blocks` is as of on_device().
  GraphRunner(Device* device, const RunOptions& options, bool blocks)
      : device_(device), options_(options), blocks_(blocks) {}

  /// Graphs are known by their addresses.
  std::vector<graph::Value> run(const graph::Graph& graph, const std::vector<graph::Value>& inputs);
  /// What a graph that has run on the device was compiled to; null if it has not.
  const systole::Network* network(const graph::Graph& graph) const;

 private:
  const graph::Graph& converted(const graph::Graph& graph);

  Device* const device_;
  const RunOptions options_;
  const bool blocks_;
  std::map<const graph::Graph*, graph::Graph> in_blocks_;
  std::map<const graph::Graph*, systole::Network> networks_;
};

}  // namespace systole::training
