// SPDX-License-Identifier: Apache-2.0
// The graphs of a training's steps, and the trainer that runs them.
#pragma once

#include <cstddef>
#include <optional>

#include "ranks.hpp"
#include "train_inputs.hpp"
#include "train_options.hpp"
#include "train_runner.hpp"
#include "train_scaling.hpp"
#include "train_stop.hpp"

namespace systole::cli {

class TrainSteps {
 public:
  /// Begins with new parameters, or with those of --resume. All references outlive the object. Throws InputError for
  /// batches that cannot be, and what reading the checkpoint throws.
  TrainSteps(const TrainOptions& options, const TrainInputs& inputs, ranks::Ranks& ranks, const TrainRunner& where,
             const TrainStop& stop);
  TrainSteps(const TrainSteps&) = delete;
  TrainSteps& operator=(const TrainSteps&) = delete;

  /// Throws CommonFailure unless all ranks have the same data, network and checkpoint: the files may be on several
  /// machines.
  void check_same(ranks::Ranks& ranks) const;

  training::Trainer& trainer() { return *trainer_; }
  const training::Trainer& trainer() const { return *trainer_; }
  const training::Settings& settings() const { return settings_; }
  /// Whether a batch is cut into micro-batches, which the ranks share.
  bool is_parallel() const { return parallel_.has_value(); }

  std::size_t operators() const { return step_.graph.operators.size() + split_.gradient.graph.operators.size(); }
  /// The graph that computes gradients.
  const graph::Graph& gradients() const { return is_parallel() ? split_.gradient.graph : step_.graph; }
  /// Empty unless is_parallel().
  std::optional<Scaling> scaling() const;
  void save(const std::string& path) const { training::save_checkpoint(path, trainer_->state(), step_, settings_); }

 private:
  void build(const TrainInputs& inputs, ranks::Ranks& ranks);

  const TrainOptions& options_;
  const TrainRunner& where_;
  training::Settings settings_;
  training::Step step_, evaluation_;
  training::SplitStep split_;  // with several micro-batches; step_ is its update
  std::optional<training::DataParallel> parallel_;
  std::optional<training::Trainer> trainer_;
};

}  // namespace systole::cli
