// SPDX-License-Identifier: Apache-2.0
// Checks the legality of a whole program, in time linear in the number of its memory accesses. A program that passes
// runs to its end on the hardware, regardless of the speed of its engines: all commands are legal, all addresses are
// in range, and no wait blocks forever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "systole/address_windows.hpp"
#include "systole/bits.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/known_memory.hpp"

namespace systole {

/// Why a program is not legal.
struct Refusal {
  std::size_t index;    ///< index of the command, in dispatch order
  std::string command;  ///< disassembly of the command
  std::string problem;
  std::string remedy;

  std::string text() const;
};

/// `program` holds the commands in dispatch order: those of the ring, with the target commands of a JUMP after it.
/// `windows` are the contents of the window registers while it runs, `known` is what memories contain before. Returns
/// the first command that violates one of these rules, if any:
/// - its fields are legal (systole/isa_check.hpp);
/// - all rows are inside their memory; all runs, and the target of a JUMP, are inside their window, which permits them;
/// - the kernel of a VECTOR is known, and reaches its end; all of them together execute `most_kernel_words` at most,
///   which limits the time that the check takes;
/// - executed one at a time in this order, no command blocks, and the semaphores are zero at every END and at the end;
/// - no semaphore can exceed its largest value, however the engines overlap;
/// - commands of two engines that wait for the same semaphore are ordered by other semaphores. Otherwise one could take
///   the other's tokens, and the program could hang although it does not block in program order.
std::optional<Refusal> check_program(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                                     const AddressWindows& windows, const KnownMemory& known = {},
                                     std::uint64_t most_kernel_words = std::numeric_limits<std::uint64_t>::max());

}  // namespace systole
