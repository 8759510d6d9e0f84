// SPDX-License-Identifier: Apache-2.0
// Random legal and race-free programs, ready for the ring, and random timing.
#pragma once

#include <string>
#include <vector>

#include "random_commands.hpp"
#include "schedule.hpp"
#include "session.hpp"
#include "source.hpp"

namespace systole::programs {

/// What to make.
struct Wish {
  int commands = 30;   ///< per program, SYNC_* not counted
  int programs = 1;    ///< each with an END
  bool jumps = true;   ///< move parts of it behind JUMPs
  bool chain = false;  ///< nothing overlaps
};

/// The programs in dispatch order: what the checkers read. JUMPs are added by pack().
std::vector<isa::Instruction> random_programs(const Wish& wish, const Configuration& configuration,
                                              const AddressWindows& windows, Source& source);

/// The problem that the legality or race checker finds, or nothing.
std::string refusal(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                    const AddressWindows& windows);

/// Commands of the ring and of jumped-to programs. `dispatch` (out) is the order in which they run, JUMPs included.
Batch pack(const std::vector<isa::Instruction>& commands, bool jumps, const Setting& setting, Source& source,
           std::vector<isa::Instruction>& dispatch);

/// Memory of the given configuration with random latencies, bandwidths, stalls and order.
BackendOptions random_timing(const std::string& configuration, Source& source);

/// The same without waiting for anything, for tests that look at something else.
BackendOptions quick_timing(const std::string& configuration, std::uint64_t seed = 1);

}  // namespace systole::programs
