// SPDX-License-Identifier: Apache-2.0
// Gives waits and signals to commands, so that engines meet exactly where they touch the same place.
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
  int sync_percent = 0;   ///< chance per command that its waits or signals stand on a SYNC of their own
};

/// The commands in the same order, with waits and signals, SYNC_* where two of each are not enough, and END with `tag`.
std::vector<isa::Instruction> synchronise(const std::vector<isa::Instruction>& commands, std::uint32_t tag,
                                          const Configuration& configuration, const AddressWindows& windows,
                                          const Schedule& schedule, Source& source);

}  // namespace systole::programs
