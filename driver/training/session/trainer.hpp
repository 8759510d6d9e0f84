// SPDX-License-Identifier: Apache-2.0
// The loop of a training: steps over batches, evaluation, and the state that a checkpoint holds.
#pragma once

#include <optional>
#include <vector>

#include "data_parallel.hpp"
#include "dataset.hpp"
#include "history.hpp"
#include "learning_rate.hpp"
#include "step.hpp"

namespace systole::training {

struct Best {
  std::int64_t epoch = 0;  ///< counted from 1
  double loss = 0;         ///< of the validation
  std::vector<graph::Value> parameters;
};

/// Everything that later steps depend on.
struct State {
  std::int64_t epoch = 0;            ///< epochs that are complete
  std::int64_t batch = 0;            ///< batches of the present epoch that are complete
  double loss_sum = 0, right = 0;    ///< of these batches
  std::vector<graph::Value> values;  ///< of Step::variables
  History history;
  std::optional<Best> best;  ///< of the epochs' parameters by validation, if there is a validation
};

/// The size of an epoch.
struct EpochSize {
  std::int64_t batches = 0;
  std::int64_t samples = 0;  ///< of a batch
};

class Trainer {
 public:
  /// `order_seed` decides the order of the pictures and what is dropped. The objects outlive the trainer. With
  /// `parallel`, that computes the steps, `step` is its update, and the ranks share the evaluation.
  Trainer(const Step& step, const Step& evaluation, const Optimizer& optimizer, const Schedule& schedule,
          std::uint64_t order_seed, Runner runner, const DataParallel* parallel = nullptr);

  State& state() { return state_; }
  const State& state() const { return state_; }
  /// Samples of a batch, as the step's graph has it.
  std::size_t batch_size() const;
  /// Whole batches in an epoch; what is left over takes part in another epoch, since each has its own order.
  std::int64_t batches(const Dataset& data) const;
  EpochSize epoch_size(const Dataset& data) const;

  /// The next batch of the present epoch. Returns the loss.
  double step(const Dataset& data, const std::vector<std::size_t>& order);
  std::vector<std::size_t> order(const Dataset& data) const;
  /// Ends the epoch: writes its record and remembers the best parameters.
  void end_epoch(const Dataset* validation);

  /// Loss and accuracy of parameters, by the evaluation graph.
  Score evaluate(const Dataset& data, const std::vector<graph::Value>& parameters) const;
  /// The parameters among the state's values.
  std::vector<graph::Value> parameters() const;

 private:
  std::vector<graph::Value> scalars(const std::vector<ScalarKind>& kinds, std::size_t first_sample) const;
  StepResult whole(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first) const;
  StepResult in_parts(const Dataset& data, const std::vector<std::size_t>& order, std::size_t first) const;

  const Step& step_;
  const Step& evaluation_;
  const Optimizer optimizer_;
  const Schedule schedule_;
  const std::uint64_t seed_;
  const Runner runner_;
  const DataParallel* const parallel_;
  State state_;
};

}  // namespace systole::training
