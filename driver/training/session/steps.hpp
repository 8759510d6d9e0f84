// SPDX-License-Identifier: Apache-2.0
// The graphs of a training's steps, and the trainer that runs them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "checkpoint.hpp"
#include "link.hpp"
#include "problem.hpp"
#include "ranks.hpp"
#include "trainer.hpp"

namespace systole::training {

class Steps {
 public:
  /// Begins with new parameters, or with those of the checkpoint `resume`. The references outlive the object. `between`
  /// is as of Trainer. Throws InvalidArgument if a rank has no micro-batch, and what reading the checkpoint throws.
  Steps(
      const Problem& problem, ranks::Ranks& ranks, const ranks::Link& link, const Runner& runner,
      const std::string& resume = {}, std::function<void()> between = [] {});
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;

  /// Throws CommonFailure unless all ranks have the same samples, network and checkpoint: the files may be on several
  /// machines.
  void check_same(ranks::Ranks& ranks) const;

  Trainer& trainer() { return *trainer_; }
  const Trainer& trainer() const { return *trainer_; }
  const Stepper& stepper() const { return *stepper_; }
  const Step& evaluation() const { return evaluation_; }
  const Settings& settings() const { return settings_; }
  EpochSize epoch_size() const { return trainer_->epoch_size(problem_.data()); }

  /// Whether a batch is cut into micro-batches, which the ranks share; null if not.
  const DataParallel* parallel() const { return parallel_ ? &*parallel_ : nullptr; }
  /// Null if no weights are pruned.
  const TilePruner* pruner() const { return pruner_ ? &*pruner_ : nullptr; }
  /// Of micro-batches.
  const SplitStep& split() const { return split_; }

  std::size_t operators() const { return step_.graph.operators.size() + split_.gradient.graph.operators.size(); }
  /// The graph that computes gradients.
  const graph::Graph& gradients() const { return parallel_ ? split_.gradient.graph : step_.graph; }
  void save(const std::string& path) const { save_checkpoint(path, trainer_->state(), step_, settings_); }
  /// The best by validation, or else the last.
  std::vector<graph::Value> best_parameters() const;
  /// The network as its file has it, with the best parameters.
  graph::Graph trained() const;

 private:
  const Problem& problem_;
  const Settings settings_;
  Step step_, evaluation_;
  SplitStep split_;  // with several micro-batches; step_ is its update
  std::optional<DataParallel> parallel_;
  std::optional<TilePruner> pruner_;
  std::optional<Stepper> stepper_;
  std::optional<Trainer> trainer_;
};

}  // namespace systole::training
