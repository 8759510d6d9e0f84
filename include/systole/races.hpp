// SPDX-License-Identifier: Apache-2.0
// Finds two commands that touch the same place, at least one of them writing, in an order that nothing fixes. Running a
// program in order hides such a fault; the hardware may show it on any day.
//
// Order comes from three things only. Commands of one engine take effect in program order: an engine may begin the next
// command early (LOAD requests memory ahead, the matrix unit reads operands ahead, STORE writes on before the responses
// of the command before have arrived), but never so that its own commands see each other out of order. A wait comes
// after every signal that it could not do without. END comes after everything before it and before everything after it.
//
// Places are rows of the on-chip memories, whatever bytes of the row are touched, and bytes of device memory. Fetching
// instructions and copies by the host are not looked at. Within one vector command, a row that is read at a later
// position than it was written at is a race too: the unit works on several positions at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "systole/accesses.hpp"
#include "systole/address_windows.hpp"
#include "systole/bits.hpp"
#include "systole/generated/configuration.hpp"

namespace systole {

/// The first race in program order of its second command.
struct Race {
  std::size_t first;   ///< index of the command that is earlier in the program
  std::size_t second;  ///< index of the later one; the same for a race within a command
  isa::Engine first_engine;
  isa::Engine second_engine;
  bool first_writes;
  bool second_writes;
  std::string first_command;  ///< disassembly
  std::string second_command;
  Memory memory;
  std::uint64_t place;  ///< row, or device address

  std::string text() const;
};

/// `program` and `windows` as for check_program(), which the program must pass.
std::optional<Race> check_races(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                                const AddressWindows& windows);

}  // namespace systole
