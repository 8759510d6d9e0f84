// SPDX-License-Identifier: Apache-2.0
// Samples that a network computes several at a time: --batch.
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <vector>

#include "input_samples.hpp"
#include "model_files.hpp"

namespace systole::cli {

/// --batch, a number of samples; 0 if it is not given.
void add_batch_option(CLI::App& command, std::size_t& batch, const char* help);

/// Rewrites the model for `batch` samples at a time, unless its file is of a network that is: then `batch` is that
/// number or 0. Throws InputError, naming the operator, if it cannot be done, and for another number than the file's.
/// The `log` is told, unless it is null.
void apply_batch(Model& model, std::size_t batch, PassLog* log = nullptr);

/// A network and the samples that it computes at a time.
class SampleBatch {
 public:
  /// `model` is rewritten as by apply_batch(), and must outlive this object.
  SampleBatch(Model& model, std::size_t batch);

  std::size_t size() const { return static_cast<std::size_t>(model_.batch); }

  /// A graph that has the inputs and outputs of one sample.
  const graph::Graph& one() const { return one_; }

  /// Inputs for the samples from number `first` on, of which there are `count`. Those that are missing are copies of
  /// the last one.
  std::vector<graph::Value> inputs(const Samples& samples, std::size_t first, std::size_t count) const;

  /// The results of the samples of the batch that begin with number `first`, computed by the host. If the network was
  /// rewritten here, it is the one before that.
  std::vector<std::vector<graph::Value>> host_results(const Samples& samples, std::size_t first,
                                                      std::size_t count) const;

  /// Outputs of the network, sample by sample.
  std::vector<std::vector<graph::Value>> results(std::vector<graph::Value> outputs) const;

 private:
  const Model& model_;
  graph::Graph one_;
  bool rewritten_ = false;  // `one_` can be executed
};

}  // namespace systole::cli
