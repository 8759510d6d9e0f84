// SPDX-License-Identifier: Apache-2.0
// What a training has shown so far.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace systole::training {

struct Score {
  double loss = 0;      ///< mean over the samples
  double accuracy = 0;  ///< share of right answers
};

struct EpochRecord {
  Score training;  ///< of the steps, each before its update
  std::optional<Score> validation;
};

struct History {
  std::vector<double> losses;  ///< of each step
  std::vector<EpochRecord> epochs;
};

/// The losses as a plot: steps, their moving average, and validation at the end of each epoch.
std::string loss_svg(const History& history, const std::string& title);

}  // namespace systole::training
