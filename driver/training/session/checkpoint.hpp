// SPDX-License-Identifier: Apache-2.0
// A training's state as a file: an archive of arrays (formats/npz.hpp), which NumPy reads.
//
//   variables/NAME.npy   each variable: parameters, statistics, the optimizer's state
//   best/NAME.npy        the parameters of the best epoch, if there is a validation
//   training.json        format (3), settings, epoch, batch, loss_sum, metric_sum, losses, epochs, best
//   (state_text.hpp)
//
// A training that goes on from a file takes the steps that it would have taken without the interruption, bit for bit.
#pragma once

#include <string>

#include "state_text.hpp"

namespace systole::training {

/// Replaces the file at once: it is complete, or it is what it was. Throws FileError.
void save_checkpoint(const std::string& path, const State& state, const Step& step, const Settings& settings);

/// Throws Failure, naming the file, if it cannot be read, is damaged, or is that of another training: with the setting,
/// number or variable that differs.
State load_checkpoint(const std::string& path, const Step& step, const Step& evaluation, const Settings& settings,
                      const EpochSize& size);

/// The same from a file's bytes; messages begin with `name`.
State parse_checkpoint(const graph::Bytes& bytes, const std::string& name, const Step& step, const Step& evaluation,
                       const Settings& settings, const EpochSize& size);

}  // namespace systole::training
