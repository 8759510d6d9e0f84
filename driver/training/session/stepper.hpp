// SPDX-License-Identifier: Apache-2.0
// One step of a training, without a state of its own: from the values of the variables before it to those after it.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "data_parallel.hpp"
#include "dataset.hpp"
#include "learning_rate.hpp"
#include "step.hpp"
#include "tile_pruner.hpp"

namespace systole::training {

class Stepper {
 public:
  /// The objects outlive the stepper. `seed` decides what is dropped. With `parallel`, that computes the steps, and
  /// `step` is its update. `pruner` may be null.
  Stepper(const Step& step, const Optimizer& optimizer, const Schedule& schedule, std::uint64_t seed, Runner runner,
          const DataParallel* parallel = nullptr, const TilePruner* pruner = nullptr)
      : step_(step),
        optimizer_(optimizer),
        schedule_(schedule),
        seed_(seed),
        runner_(std::move(runner)),
        parallel_(parallel),
        pruner_(pruner) {}

  /// Step `number`, from 0 on. `part` gives the samples of the batch.
  StepResult run(std::int64_t number, const DataParallel::Part& part, const std::vector<graph::Value>& values) const;

  /// Samples of a batch, as the step's graph has it.
  std::size_t batch_size() const { return parallel_ != nullptr ? parallel_->batch_size() : step_.samples(); }
  std::uint64_t seed() const { return seed_; }
  double rate(std::int64_t number) const { return rate_of(schedule_, number); }
  const Step& step() const { return step_; }
  /// Null without micro-batches.
  const DataParallel* parallel() const { return parallel_; }
  const Runner& runner() const { return runner_; }
  /// Null if no weights are pruned.
  const TilePruner* pruner() const { return pruner_; }

 private:
  StepResult unpruned(std::int64_t number, const DataParallel::Part& part,
                      const std::vector<graph::Value>& values) const;
  std::vector<graph::Value> scalars(std::int64_t number, const std::vector<ScalarKind>& kinds,
                                    std::size_t first_sample) const;

  const Step& step_;
  const Optimizer optimizer_;
  const Schedule schedule_;
  const std::uint64_t seed_;
  const Runner runner_;
  const DataParallel* const parallel_;
  const TilePruner* const pruner_;
};

}  // namespace systole::training
