// SPDX-License-Identifier: Apache-2.0
// Runs the graphs of a training, on the host or on a device.
#pragma once

#include <map>
#include <memory>
#include <mutex>
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

  /// Graphs are known by their identities: one that has run stays as it is. On the host, threads may call it at a time.
  std::vector<graph::Value> run(const graph::Graph& graph, const std::vector<graph::Value>& inputs);
  /// What a graph that has run on the device was compiled to; null if it has not.
  const systole::Network* network(const graph::Graph& graph) const;

 private:
  using Mark = std::weak_ptr<const void>;
  template <class Made>
  using ByGraph = std::map<Mark, Made, std::owner_less<Mark>>;

  const graph::Graph& converted(const graph::Graph& graph);

  Device* const device_;
  const RunOptions options_;
  const bool blocks_;
  std::mutex converting_;  ///< guards in_blocks_
  ByGraph<graph::Graph> in_blocks_;
  ByGraph<systole::Network> networks_;
};

}  // namespace systole::training
