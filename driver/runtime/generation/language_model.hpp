// SPDX-License-Identifier: Apache-2.0
// A language model that reads tokens and says how probable each token is as the next one. It keeps the keys and values
// of what it has read.
#pragma once

#include <functional>
#include <vector>

#include "llama2_checkpoint.hpp"
#include "llama2_graph.hpp"
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
  /// step. Each of the two graphs, for one token and for a batch, is prepared before its first use. Throws
  /// InvalidArgument if `context` or `batch` is out of range.
  LanguageModel(llama2::Checkpoint checkpoint, Prepare prepare, int context = 0, int batch = 8);

  /// Reads at least one token. Returns a logit for each token of the vocabulary, as the next after the last. Throws
  /// InvalidArgument for a token that does not exist and if there is no room, and what the graph throws.
  std::vector<float> read(const std::vector<int>& tokens);

  int position() const { return position_; }  ///< tokens read
  int context() const { return context_; }
  const llama2::Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  /// A graph of steps, prepared when it is needed.
  struct Network {
    llama2::Step step;
    Run run;
  };
  std::vector<float> take(Network& network, const int* tokens, int count);
  std::vector<graph::Value> inputs(const llama2::Step& step, const int* tokens, int count) const;
  graph::Value cached(const std::vector<float>& cache, int positions) const;
  void keep(std::vector<float>& cache, const graph::Value& added, int count) const;

  const llama2::Checkpoint checkpoint_;
  const Prepare prepare_;
  const int context_;
  Network single_, several_;
  /// For each layer keys and values, each [key heads, context, head width].
  std::vector<std::vector<float>> caches_;
  int position_ = 0;
};

}  // namespace systole::generation
