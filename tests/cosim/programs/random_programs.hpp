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

/// Parameters of the generator.
struct ProgramOptions {
  int commands = 30;   ///< per program, SYNC_* not counted
  int programs = 1;    ///< each with an END
  bool jumps = true;   ///< move some commands to JUMP targets
  bool chain = false;  ///< nothing overlaps
};

/// The programs in dispatch order, as the checkers read them. pack() adds JUMPs.
std::vector<isa::Instruction> random_programs(const ProgramOptions& options, const Configuration& configuration,
                                              const AddressWindows& windows, Source& source);

/// The problem that the legality or race checker finds, or nothing.
std::string refusal(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                    const AddressWindows& windows);

/// Splits the commands between the ring and JUMP targets. `dispatch` (out) is the order in which they run, JUMPs
/// included.
Batch pack(const std::vector<isa::Instruction>& commands, bool jumps, const Setting& setting, Source& source,
           std::vector<isa::Instruction>& dispatch);

/// Memory of the given configuration with random latencies, bandwidths, stalls and order.
BackendOptions random_timing(const std::string& configuration, Source& source);

/// The same without latencies and stalls, for tests of other aspects.
BackendOptions quick_timing(const std::string& configuration, std::uint64_t seed = 1);

}  // namespace systole::programs
