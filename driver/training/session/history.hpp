// SPDX-License-Identifier: Apache-2.0
// What a training has shown so far, as texts and pictures.
#pragma once

#include <string>

#include "systole/training.hpp"

namespace systole::training {

/// "loss 0.0703, accuracy 97.85 %".
std::string text_of(const Score& score);

/// The losses as a plot: steps, their moving average, and validation at the end of each epoch.
std::string loss_svg(const History& history, const std::string& title);

}  // namespace systole::training
