// SPDX-License-Identifier: Apache-2.0
// The steps of a training over its samples, evaluation, and the state that a checkpoint holds.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "dataset.hpp"
#include "history.hpp"
#include "step.hpp"
#include "stepper.hpp"

namespace systole::training {

struct Best {
  std::int64_t epoch = 0;  ///< counted from 1
  double loss = 0;         ///< of the validation
  std::vector<graph::Value> parameters;
};

/// Everything that later steps depend on.
struct State {
  std::int64_t epoch = 0;               ///< epochs that are complete
  std::int64_t batch = 0;               ///< batches of the present epoch that are complete
  double loss_sum = 0, metric_sum = 0;  ///< of these batches
  std::vector<graph::Value> values;     ///< of Step::variables
  History history;
  std::optional<Best> best;  ///< of the epochs' parameters by validation, if there is a validation
};

/// The size of an epoch.
struct EpochSize {
  std::int64_t batches = 0;
  std::int64_t samples = 0;  ///< of a batch
  /// Epochs that end before the pruning does: their parameters are not the ones that are wanted.
  std::int64_t unpruned = 0;
};

class Trainer {
 public:
  /// The objects outlive the trainer. The ranks of a stepper with micro-batches share the evaluation, too. The seed of
  /// the stepper decides the order of the samples. `between` is called before each batch of an evaluation; what it
  /// throws ends that.
  Trainer(
      const Stepper& stepper, const Step& evaluation, std::function<void()> between = [] {});

  State& state() { return state_; }
  const State& state() const { return state_; }
  /// Whole batches in an epoch; what is left over takes part in another epoch, since each has its own order.
  std::int64_t batches(const Dataset& data) const;
  EpochSize epoch_size(const Dataset& data) const;

  /// The next batch of the present epoch. Returns the loss.
  double step(const Dataset& data, const std::vector<std::size_t>& order);
  std::vector<std::size_t> order(const Dataset& data) const;
  /// Ends the epoch of samples of this kind: writes its record and remembers the best parameters, once they are pruned.
  void end_epoch(TargetKind kind, const Dataset* validation);

  /// Loss and metrics of parameters, by the evaluation graph.
  Score evaluate(const Dataset& data, const std::vector<graph::Value>& parameters) const;
  /// The parameters among the state's values.
  std::vector<graph::Value> parameters() const;
  /// The learning rate of the next step.
  double rate() const { return stepper_.rate(static_cast<std::int64_t>(state_.history.losses.size())); }

 private:
  const Stepper& stepper_;
  const Step& evaluation_;
  const std::function<void()> between_;
  State state_;
};

}  // namespace systole::training
