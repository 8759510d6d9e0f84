// SPDX-License-Identifier: Apache-2.0
#include "loop.hpp"

#include <fmt/core.h>

#include <cmath>
#include <string>
#include <vector>

#include "together.hpp"

namespace systole::training {
namespace {

void check_finite(double loss, const std::string& place) {
  if (!std::isfinite(loss)) {
    throw ranks::CommonFailure(
        fmt::format("{} is {}; use a smaller --learning-rate, or --clip-norm, or scale the data", place, loss));
  }
}

/// False if a hook ended the training.
bool run_epoch(Steps& steps, const Problem& problem, const Hooks& hooks) {
  Trainer& trainer = steps.trainer();
  const std::vector<std::size_t> order = trainer.order(problem.data());
  const std::int64_t batches = trainer.batches(problem.data());
  while (trainer.state().batch < batches) {
    const double loss = trainer.step(problem.data(), order);
    check_finite(loss, fmt::format("step {}: the loss", trainer.state().history.losses.size()));
    if (!hooks.step(loss)) {
      return false;
    }
  }
  hooks.validation();
  trainer.end_epoch(problem.data().kind, problem.validation());
  if (const auto& validation = trainer.state().history.epochs.back().validation) {
    check_finite(validation->loss, fmt::format("epoch {}: the loss of the validation", trainer.state().epoch));
  }
  return hooks.epoch();
}

}  // namespace

bool out_of_patience(const Options& options, const State& state) {
  return options.patience > 0 && state.best && state.epoch - state.best->epoch >= options.patience;
}

void run_epochs(Steps& steps, const Problem& problem, const Hooks& hooks) {
  const State& state = steps.trainer().state();
  while (state.epoch < problem.options().epochs && !out_of_patience(problem.options(), state)) {
    if (!run_epoch(steps, problem, hooks)) {
      return;
    }
  }
}

}  // namespace systole::training
