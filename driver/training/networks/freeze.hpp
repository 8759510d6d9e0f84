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

}  // namespace systole::training
