// SPDX-License-Identifier: Apache-2.0
// Parameters that a training leaves as they are.
#pragma once

#include <string>
#include <vector>

#include "trainable_network.hpp"

namespace systole::training {

/// Makes constants of the parameters whose name fits one of the patterns, as of file names: `*`, `?`, `[...]`. Throws
/// InvalidArgument, listing the names, for a pattern that none fits, and if none is left to train.
void freeze(Network& network, const std::vector<std::string>& patterns);

/// Whether freeze() makes constants of the running statistics with these names. Throws InvalidArgument if it does so
/// with one of them only: a batch is normalized by its own mean and variance, or by both running ones.
bool are_statistics_frozen(const std::vector<std::string>& patterns, const std::string& mean,
                           const std::string& variance);

}  // namespace systole::training
