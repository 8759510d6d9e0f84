// SPDX-License-Identifier: Apache-2.0
// A training's state as a file: an archive of arrays (formats/npz.hpp), which NumPy reads.
//
//   variables/NAME.npy   each variable: parameters, statistics, the optimizer's state
//   best/NAME.npy        the parameters of the best epoch, if there is a validation
//   training.json        format (1), settings, epoch, batch, loss_sum, right, losses, epochs, best
//
// A training that goes on from a file takes the steps that it would have taken without the interruption, bit for bit.
#pragma once

#include <map>
#include <string>

#include "trainer.hpp"

namespace systole::training {

/// What the steps depend on besides the state, as texts; a file is for one of them only.
using Settings = std::map<std::string, std::string>;

/// Replaces the file at once: it is complete, or it is what it was. Throws Failure, naming the file and the reason.
void save_checkpoint(const std::string& path, const State& state, const Step& step, const Settings& settings);

/// Throws Failure, naming the file, if it cannot be read or is damaged, and the setting or variable that differs.
State load_checkpoint(const std::string& path, const Step& step, const Step& evaluation, const Settings& settings);

/// Writes a file under another name first, and renames it. Throws Failure.
void replace_file(const std::string& path, const graph::Bytes& bytes);

}  // namespace systole::training
