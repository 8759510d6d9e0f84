// SPDX-License-Identifier: Apache-2.0
// The numbers of a training's state as JSON, without its arrays: the member training.json of a checkpoint.
#pragma once

#include <map>
#include <string>

#include "trainer.hpp"

namespace systole::training {

/// Everything that the steps depend on besides the state, as texts; a checkpoint is for one set of them only.
using Settings = std::map<std::string, std::string>;

std::string state_text(const State& state, const Settings& settings);

/// Throws Failure if the text is not JSON or has no settings, or is of another format.
Settings parse_settings(const std::string& text);

/// The state without its values and the best parameters. Throws Failure, naming the field, its value and what it may
/// be, if a number is beyond its range or contradicts another one: the losses give the sums and the number of steps,
/// the validations give the best epoch.
State parse_state(const std::string& text, const EpochSize& size);

}  // namespace systole::training
