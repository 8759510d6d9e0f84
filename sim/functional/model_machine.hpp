// SPDX-License-Identifier: Apache-2.0
// The functional model: executes instructions one at a time, in the given order, bit-exact and without time. A legal
// program (systole/legality.hpp) gives the same results as on the overlapping engines of the hardware.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "model_state.hpp"

namespace systole::model {

/// The first error, as in the error registers.
struct ErrorRecord {
  isa::ErrorCode code = isa::ErrorCode::kNone;
  isa::Engine engine = isa::Engine::kCommand;
  std::uint32_t index = 0;    ///< dispatch index of the command since reset
  std::uint32_t address = 0;  ///< its meaning depends on the code
  std::string text;           ///< the command, the problem and the remedy
};

/// An instruction waits for a semaphore that no earlier instruction signals.
struct Blocked {
  bool blocked = false;
  isa::Engine engine = isa::Engine::kCommand;
  int semaphore = 0;  ///< the first semaphore whose value is too low
  std::uint32_t index = 0;
};

class Machine {
 public:
  enum class Outcome {
    kDone,     ///< executed
    kBlocked,  ///< its waits are not satisfied: nothing happened, blocked() says why
    kError,    ///< error() holds the record; nothing is executed until reset()
  };

  /// `memory` must outlive the machine.
  Machine(const Configuration& configuration, DeviceMemory& memory);

  /// Executes the next command in program order. JUMP is only counted here: the caller, which fetches, executes it.
  Outcome execute(const isa::Instruction& instruction);

  /// Executes a command under the given index, for a caller that follows the commit order of the hardware.
  Outcome execute(const isa::Instruction& instruction, std::uint32_t index);

  /// Only the effect of a command: no checks, waits, signals, counts or error record. For a caller that follows the
  /// commits of the hardware and does the rest itself. Throws Fault.
  void operate(const isa::Instruction& instruction);

  /// Records an error that occurred before an instruction existed (fetch, ring). The first error is kept.
  void fail(isa::ErrorCode code, isa::Engine engine, std::uint32_t index, std::uint32_t address, std::string text);

  /// Clears semaphores, error and counts. On-chip memories, table and windows keep their contents; state().clear()
  /// clears them.
  void reset();

  State& state() { return state_; }
  const State& state() const { return state_; }
  const std::array<std::uint8_t, isa::kSemaphores>& semaphores() const { return semaphores_; }
  const ErrorRecord& error() const { return error_; }
  bool halted() const { return error_.code != isa::ErrorCode::kNone; }
  const Blocked& blocked() const { return blocked_; }
  std::uint32_t commands() const { return commands_; }  ///< dispatched to an engine or done, since reset
  std::uint32_t end_tag() const { return end_tag_; }
  std::uint32_t end_count() const { return end_count_; }

  /// Without fast paths every operation is executed as in the reference pages.
  void use_fast_paths(bool use) { fast_ = use; }

 private:
  bool take_waits(const isa::Semaphores& sem, isa::Engine engine, std::uint32_t index);
  void give_signals(const isa::Semaphores& sem);
  void end(const isa::End& op);

  State state_;
  std::array<std::uint8_t, isa::kSemaphores> semaphores_{};
  ErrorRecord error_;
  Blocked blocked_;
  std::uint32_t commands_ = 0;
  std::uint32_t end_tag_ = 0;
  std::uint32_t end_count_ = 0;
  bool fast_ = true;
};

}  // namespace systole::model
