// SPDX-License-Identifier: Apache-2.0
// A language model that reads tokens, of one sequence or of several at once, and says how probable each token is as the
// next one. It keeps the keys and values of what it has read.
#pragma once

#include <functional>
#include <map>
#include <memory>
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
  /// With room for `context` tokens; 0: as many as the model has positions. Of several tokens of a sequence, `batch`
  /// are read in one step. Each graph is prepared before its first use: in float32 one for single tokens, one for a
  /// batch and one for single tokens of all sequences; with products in blocks as many of each as there are sizes of
  /// the cache. Throws InvalidArgument if `context` or `batch` is out of range, or if `context` is 0 and keys and
  /// values of all the model's positions would take more than 4 GiB.
  LanguageModel(llama2::Checkpoint checkpoint, Prepare prepare, int context = 0, int batch = 8,
                Products products = Products::kFloat32);

  /// Reads at least one token of the only sequence. Returns a logit for each token of the vocabulary, as the next after
  /// the last. Throws InvalidArgument for a token that does not exist and if there is no room, and what the graph
  /// throws.
  std::vector<float> read(const std::vector<int>& tokens);
  /// Reads tokens of each sequence, of some none. Where none has more than one token, one step reads all of them.
  /// Returns the logits of each sequence, which are empty where no token was read.
  std::vector<std::vector<float>> read_each(const std::vector<std::vector<int>>& tokens);

  /// Forgets what it has read. From now on it reads so many sequences, 1 to 256; else it throws InvalidArgument.
  void forget(std::size_t sequences = 1);

  int position(int sequence = 0) const { return read_[static_cast<std::size_t>(sequence)].position; }  ///< tokens read
  int context() const { return context_; }
  const llama2::Checkpoint& checkpoint() const { return checkpoint_; }

 private:
  /// What has been read of a sequence.
  struct Read {
    int position = 0;                        ///< tokens
    std::vector<std::vector<float>> caches;  ///< for each layer keys and values
  };
  /// Tokens that a step reads of a sequence.
  struct Given {
    Read* read;
    const int* tokens;
    int count;  ///< as many as the step has, or fewer
  };

  void check(const Read& read, const std::vector<int>& tokens) const;
  /// Reads all tokens of a sequence.
  std::vector<float> read(Read& read, const std::vector<int>& tokens);
  /// A step of `tokens` of each sequence. Returns the logits after the last one given of each.
  std::vector<std::vector<float>> take(int tokens, const std::vector<Given>& sequences);
  std::vector<graph::Value> inputs(const StepShape& step, const std::vector<Given>& sequences) const;

  const llama2::Checkpoint checkpoint_;
  const Prepare prepare_;
  const int context_, batch_;
  const std::unique_ptr<const StepLayout> layout_;
  std::map<StepShape, Run> steps_;
  std::vector<Read> read_;  ///< of each sequence
};

}  // namespace systole::generation
