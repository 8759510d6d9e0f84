// SPDX-License-Identifier: Apache-2.0
// A language model that reads tokens and says how probable each token is as the next one. It keeps the keys and values
// of what it has read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "llama2_checkpoint.hpp"
#include "step_layout.hpp"
#include "systole/graph_value.hpp"

namespace systole::generation {

/// Runs a graph with these inputs.
using Run = std::function<std::vector<graph::Value>(const std::vector<graph::Value>& inputs)>;
/// Prepares a graph to be run many times: on_host, or compiled for a device.
using Prepare = std::function<Run(graph::Graph graph)>;

/// Runs graphs on the host (systole/execute.hpp).
Run on_host(graph::Graph graph);

class LanguageModel {
 public:
  /// With room for `context` tokens; 0: as many as the model has positions. Of several tokens, `batch` are read in one
  /// step. Each graph is prepared before its first use: in float32 one for single tokens and one for a batch; with
  /// products in blocks as many as there are sizes of the cache. Throws InvalidArgument if `context` or `batch` is out
  /// of range, or if `context` is 0 and keys and values of all the model's positions would take more than 4 GiB.
  LanguageModel(llama2::Checkpoint checkpoint, Prepare prepare, int context = 0, int batch = 8,
                Products products = Products::kFloat32);

  /// Reads at least one token. Returns a logit for each token of the vocabulary, as the next after the last. Throws
  /// InvalidArgument for a token that does not exist and if there is no room, and what the graph throws.
  std::vector<float> read(const std::vector<int>& tokens);

  /// Forgets what it has read.
  void forget();

  int position() const { return position_; }  ///< tokens read
  int context() const { return context_; }
  const llama2::Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  /// A step of `tokens`, of which `count` are given.
  std::vector<float> take(int tokens, const int* given, int count);
  std::vector<graph::Value> inputs(int tokens, int cached, const int* given, int count) const;

  const llama2::Checkpoint checkpoint_;
  const Prepare prepare_;
  const int context_, batch_;
  const std::unique_ptr<const StepLayout> layout_;
  std::map<std::pair<int, int>, Run> steps_;  ///< by their tokens and what is cached
  /// For each layer keys and values.
  std::vector<std::vector<float>> caches_;
  int position_ = 0;
};

}  // namespace systole::generation
