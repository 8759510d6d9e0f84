// SPDX-License-Identifier: Apache-2.0
// Adds waits and signals to commands, so that engines synchronize exactly where they access the same location.
#pragma once

#include <vector>

#include "model_state.hpp"
#include "source.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"

namespace systole::programs {

struct Schedule {
  bool chain = false;     ///< each command waits for the one before: nothing overlaps
  bool implied = false;   ///< leave out waits that follow from others
  int extra_percent = 0;  ///< chance per command of a signal that no dependency needs
  int sync_percent = 0;   ///< chance per command that its waits or signals are moved to a SYNC
};

/// The commands in the same order, with waits and signals, SYNC_* where two of each are not enough, and END with `tag`.
std::vector<isa::Instruction> synchronise(const std::vector<isa::Instruction>& commands, std::uint32_t tag,
                                          const Configuration& configuration, const AddressWindows& windows,
                                          const Schedule& schedule, Source& source);

}  // namespace systole::programs
