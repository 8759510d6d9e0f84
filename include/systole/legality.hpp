// SPDX-License-Identifier: Apache-2.0
// Legality of a whole program, in time linear in the work that it describes. A program that passes runs to its end on
// the hardware whatever the speeds of its engines: no command is refused, no address leaves its memory, and no wait
// hangs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "systole/address_windows.hpp"
#include "systole/bits.hpp"
#include "systole/generated/configuration.hpp"

namespace systole {

/// Why a program is refused.
struct Refusal {
  std::size_t index;    ///< of the command, in dispatch order
  std::string command;  ///< its disassembly
  std::string problem;
  std::string remedy;

  std::string text() const;
};

/// `program` holds the commands in dispatch order: those of the ring, with the commands of a jumped-to program after
/// their JUMP. `windows` are the contents of the window registers while it runs. Answers the first command that is
/// wrong:
/// - its fields are legal (systole/isa_check.hpp);
/// - all rows lie in their memory and all runs (and the target of a JUMP) in their window, which permits them;
/// - run one at a time in this order, no command would block, and the semaphores are zero at every END and at the end;
/// - no semaphore can pass its largest value, however the engines overlap;
/// - commands of two engines that wait for one semaphore do so in program order (other semaphores see to that), as else
///   one could take what the other needs, and the program hang although it does not block in order.
std::optional<Refusal> check_program(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                                     const AddressWindows& windows);

}  // namespace systole
