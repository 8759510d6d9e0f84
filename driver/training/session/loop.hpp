// SPDX-License-Identifier: Apache-2.0
// The loop of a training: epochs of steps and validations, until all are done or somebody stops it.
#pragma once

#include <functional>

#include "steps.hpp"

namespace systole::training {

/// Called by the loop; those that return false end it. A loop on several ranks calls them at the same places.
struct Hooks {
  std::function<bool(double loss)> step = [](double) { return true; };
  std::function<void()> validation = [] {};  ///< begins
  std::function<bool()> epoch = [] { return true; };
};

/// Whether so many epochs as Options::patience have passed without a smaller loss.
bool out_of_patience(const Options& options, const State& state);

/// Goes on from the trainer's state. Throws CommonFailure, naming step or epoch, when a loss is not finite, and what
/// hooks and evaluations throw.
void run_epochs(Steps& steps, const Problem& problem, const Hooks& hooks);

}  // namespace systole::training
