// SPDX-License-Identifier: Apache-2.0
// Which commands of a program a stopped machine has committed, and what those did to the semaphores.
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "systole/hang.hpp"

namespace systole::hang {

inline constexpr std::size_t kEngines = 4;
inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// Engine that executes an instruction; COMMAND for END, JUMP and invalid opcodes.
isa::Engine engine_of(const isa::Instruction& instruction);

/// What an instruction takes from (gives to) a semaphore.
unsigned taken_by(const isa::Instruction& instruction, int semaphore);
unsigned given_by(const isa::Instruction& instruction, int semaphore);

class History {
 public:
  using State = HangReport::State;

  History(const Listing& program, const HangState& state);

  const Listing& program() const { return program_; }
  const HangState& machine() const { return machine_; }

  /// Number of commands of the program, including the END that the device appends.
  std::size_t size() const { return program_.instructions.size() + 1; }
  std::size_t dispatched() const { return dispatched_; }
  State state(std::size_t command) const { return states_[command]; }
  bool committed(std::size_t command) const { return states_[command] == State::kCommitted; }
  /// Its waits have been taken.
  bool started(std::size_t command) const { return committed(command) || states_[command] == State::kInFlight; }
  isa::Engine engine(std::size_t command) const;
  bool is_end(std::size_t command) const;

  unsigned taken(std::size_t command, int semaphore) const;
  unsigned given(std::size_t command, int semaphore) const;

  /// Oldest uncommitted command of an engine, or kNone.
  std::size_t oldest(isa::Engine engine) const { return oldest_[static_cast<std::size_t>(engine)]; }
  /// First command in program order that has not committed.
  std::size_t earliest() const;

  HangReport::Command describe(std::size_t command) const;

 private:
  const Listing& program_;
  const HangState& machine_;
  std::size_t dispatched_;
  std::vector<State> states_;
  std::array<std::size_t, kEngines> oldest_;
};

/// The steps of explain_hang(): first the nodes and the chain, then the suspect.
void find_waits(const History& history, HangReport& report);
void find_culprit(const History& history, HangReport& report);

/// "MXU #12", "MXU #12 of 'conv1'".
std::string name(const HangReport::Command& command);
std::string name_with_layer(const HangReport::Command& command);

}  // namespace systole::hang
