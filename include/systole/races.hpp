// SPDX-License-Identifier: Apache-2.0
// Finds data races: two commands access the same place, at least one of them writes, and their order is not determined.
// Execution in program order hides such an error; on the hardware it may show at any time.
//
// The order of two commands is determined by three rules only. Commands of one engine take effect in program order: an
// engine may begin its next command early (LOAD requests data ahead, the matrix unit reads operands ahead, STORE writes
// before it has the responses of the command before), but its own commands never see each other out of order. A wait
// comes after every signal that it needs. END comes after all commands before it and before all commands after it.
//
// Places are rows of the on-chip memories, regardless of the bytes accessed, and bytes of device memory. Instruction
// fetch and copies by the host are not checked. Within one vector command, it is also a race if a row is written at one
// position and read at a later one, because the vector unit processes several positions at a time. The operations of a
// kernel (VECTOR) take effect in their order, so that they do not race with each other.
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
#include "systole/known_memory.hpp"

namespace systole {

/// A race between two commands.
struct Race {
  std::size_t first;   ///< index of the earlier command in the program
  std::size_t second;  ///< index of the later command; equal to `first` for a race within a command
  isa::Engine first_engine;
  isa::Engine second_engine;
  bool first_writes;
  bool second_writes;
  std::string first_command;  ///< disassembly
  std::string second_command;
  Memory memory;
  std::uint64_t place;  ///< row number, or address in device memory

  std::string text() const;
};

/// The race whose second command is the earliest, if any. The program must pass check_program() with these windows and
/// this known memory.
std::optional<Race> check_races(const std::vector<isa::Instruction>& program, const Configuration& configuration,
                                const AddressWindows& windows, const KnownMemory& known = {});

}  // namespace systole
