// SPDX-License-Identifier: Apache-2.0
// The public functions of training, which join its pieces.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "export_onnx.hpp"
#include "loop.hpp"
#include "output_file.hpp"
#include "problem.hpp"
#include "stepper.hpp"
#include "steps.hpp"
#include "systole/errors.hpp"
#include "systole/training.hpp"
#include "together.hpp"

namespace systole::training {
namespace {

using Purpose = NetworkSource::Purpose;

NamedValues named(const std::vector<Variable>& variables, const std::vector<graph::Value>& values) {
  NamedValues result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    result.emplace_back(variables.at(i).name, values[i]);
  }
  return result;
}

Options with_batch(Options options, const Data& example) {
  if (options.balanced) {
    throw InvalidArgument("class weights: balanced ones depend on all samples; give a step the numbers themselves");
  }
  if (options.standardize) {
    throw InvalidArgument("--standardize: depends on all samples; give a step columns that are standardized");
  }
  const graph::Shape& shape = example.targets.value.shape;
  options.batch = shape.empty() ? 0 : shape[0];
  return options;
}

}  // namespace

Result train(const NetworkChoice& network, const Data& data, const Data* validation, const Options& options,
             const Runner& runner, const Observers& observers, const Checkpoints& checkpoints) {
  const Problem problem(network, data, validation, options);
  for (const std::string& line : problem.warnings()) {
    if (observers.warning) {
      observers.warning(line);
    }
  }
  const auto alone = ranks::alone();
  if (!checkpoints.save.empty()) {
    files::check_output(checkpoints.save);
  }
  Steps steps(problem, *alone, {}, runner ? runner : on_host(options.blocks), checkpoints.resume);
  const auto save = [&] {
    if (!checkpoints.save.empty()) {
      steps.save(checkpoints.save);
    }
  };
  const Trainer& trainer = steps.trainer();
  Hooks hooks;
  hooks.step = [&](double) {
    const History& history = trainer.state().history;
    const auto last = static_cast<std::int64_t>(history.losses.size()) - 1;
    return !observers.step || observers.step(history, steps.stepper().rate(last));
  };
  hooks.epoch = [&] {
    save();
    return !observers.epoch || observers.epoch(trainer.state().history);
  };
  try {
    run_epochs(steps, problem, hooks);
  } catch (const ranks::CommonFailure& failure) {
    throw Failure(failure.what());
  }
  save();
  const State& state = trainer.state();
  return {state.history, state.best ? state.best->epoch : 0,
          named(steps.evaluation().variables, steps.best_parameters()), problem.standardized_columns(),
          steps.trained()};
}

graph::Bytes to_onnx(const graph::Graph& network) { return onnx_file(network); }

struct TrainingStep::Parts {
  Parts(const NetworkChoice& network, const Data& example, const Options& options, Runner given)
      : problem(network, example, nullptr, with_batch(options, example)),
        runner(given ? std::move(given) : on_host(options.blocks)) {
    const Options& fitted = problem.options();
    const std::int64_t parts = fitted.micro_batches;
    if (parts == 1) {
      step = training_step(problem.network(fitted.batch, Purpose::kWholeBatch), fitted.optimizer);
    } else {
      split = split_step(problem.network(fitted.batch / parts, Purpose::kMicroBatch), fitted.optimizer, parts);
      step = split.update;
      parallel.emplace(split, parts, *alone, ranks::Link{}, runner);
    }
    parameters = problem.network(1, Purpose::kEvaluation).parameters.size();
    if (fitted.pruning.share > 0) {
      pruner.emplace(fitted.pruning, problem.network(1, Purpose::kEvaluation), fitted.schedule.steps);
    }
    stepper.emplace(step, fitted.optimizer, fitted.schedule, fitted.seed, runner, parallel ? &*parallel : nullptr,
                    pruner ? &*pruner : nullptr);
  }

  /// Those of a state. Throws InvalidArgument for one of another network.
  std::vector<graph::Value> values_of(const State& state) const;

  const Problem problem;
  const Runner runner;
  const std::shared_ptr<ranks::Ranks> alone = ranks::alone();
  std::size_t parameters = 0;
  Step step;
  SplitStep split;
  std::optional<DataParallel> parallel;
  std::optional<TilePruner> pruner;
  std::optional<Stepper> stepper;
};

TrainingStep::TrainingStep(const NetworkChoice& network, const Data& example, const Options& options, Runner runner)
    : parts_(std::make_unique<Parts>(network, example, options, std::move(runner))) {}
TrainingStep::~TrainingStep() = default;
TrainingStep::TrainingStep(TrainingStep&&) noexcept = default;
TrainingStep& TrainingStep::operator=(TrainingStep&&) noexcept = default;

TrainingStep::State TrainingStep::initial() const {
  State state;
  for (const Variable& variable : parts_->step.variables) {
    state.values.emplace_back(variable.name, variable.initial);
  }
  return state;
}

std::vector<graph::Value> TrainingStep::Parts::values_of(const State& state) const {
  const std::vector<Variable>& variables = step.variables;
  std::vector<graph::Value> values;
  for (std::size_t i = 0; i < std::max(variables.size(), state.values.size()); ++i) {
    if (i >= variables.size() || i >= state.values.size() || state.values[i].first != variables[i].name ||
        state.values[i].second.shape != variables[i].initial.shape ||
        state.values[i].second.type != variables[i].initial.type) {
      throw InvalidArgument(fmt::format(
          "the state's value {} is {}, the network's {}; give a state of this network, as initial() or a step returns",
          i, i < state.values.size() ? state.values[i].first : "missing",
          i < variables.size() ? variables[i].name : "none"));
    }
    values.push_back(state.values[i].second);
  }
  return values;
}

std::pair<TrainingStep::State, double> TrainingStep::operator()(const State& state, const Data& batch) const {
  const std::vector<graph::Value> values = parts_->values_of(state);
  const Dataset samples = parts_->problem.fitted(batch);
  const std::size_t size = parts_->stepper->batch_size();
  if (samples.size() != size) {
    throw InvalidArgument(
        fmt::format("{}: {} samples; the step takes {}, as its example has", batch.targets.name, samples.size(), size));
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  StepResult result = parts_->stepper->run(
      state.step, [&](std::size_t first, std::size_t count) { return batch_of(samples, order, first, count); }, values);
  return {State{state.step + 1, named(parts_->step.variables, result.values)}, result.loss};
}

graph::Graph TrainingStep::network(const State& state) const {
  std::vector<graph::Value> values = parts_->values_of(state);
  values.resize(parameters());
  return with_values(parts_->problem.network(1, Purpose::kExport), values);
}

std::size_t TrainingStep::parameters() const { return parts_->parameters; }

}  // namespace systole::training
