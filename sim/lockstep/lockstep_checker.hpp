// SPDX-License-Identifier: Apache-2.0
// Compares the effect of each command in the RTL with that in the functional model when the command retires. The model
// executes commands in the order in which the RTL retires them; README.md explains why that is exact.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "command_footprint.hpp"
#include "command_stream.hpp"
#include "expected_memory.hpp"
#include "shadow_model.hpp"
#include "systole/lockstep.hpp"

namespace systole::lockstep {

/// Every function that compares throws LockstepDivergence.
class Checker {
 public:
  using Semaphores = std::array<std::uint8_t, isa::kSemaphores>;

  /// `rtl` and `memory` are read at every comparison.
  Checker(const Configuration& configuration, const sim::OnChip& rtl, const model::DeviceMemory& memory);

  // Host events.
  CommandStream& stream() { return stream_; }
  AddressWindows& windows() { return shadow_.state().windows(); }
  void doorbell(std::uint32_t tail);
  void host_wrote(std::uint64_t address, std::size_t bytes) { memory_.refresh(address, bytes); }
  /// The interrupt signals an END without error: of the last program or an earlier one.
  void finished(std::uint64_t cycle);
  /// END_TAG reads as `tag`: all commands before the END with this tag are done. 0 is the tag of no END and is ignored.
  void ended(std::uint64_t cycle, std::uint32_t tag);
  /// No progress for a long time: a signal may have been lost.
  void stuck(std::uint64_t cycle);

  // Core events; as in CoreObserver.
  void was_reset();
  void semaphores_changed(const Semaphores& values) { semaphores_ = values; }
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index);
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index);
  void write_burst(std::uint64_t cycle, std::uint64_t address, std::uint64_t bytes);

 private:
  struct Command {
    std::uint32_t index;
    isa::Instruction instruction;
    isa::Engine engine;
    std::uint64_t started;
    Footprint footprint;
  };
  /// A row that no command in flight writes has changed. The writer is unknown until one of the suspects is found
  /// wrong.
  struct UnexpectedChange {
    Divergence divergence;
    std::vector<std::uint32_t> suspects;  ///< indices of the commands that have not retired
  };
  static constexpr std::size_t kEngines = CommandStream::kEngines;
  static constexpr std::size_t kOnChipMemories = 5;

  bool idle() const;
  Divergence divergence_of(const Command& command, std::uint64_t cycle, std::string problem) const;
  [[noreturn]] static void diverge(Divergence divergence, const ShadowModel::Difference& difference);
  [[noreturn]] void diverge_in_order(std::uint64_t cycle, unsigned engine, const char* problem,
                                     std::optional<std::uint32_t> expected, std::optional<std::uint32_t> actual) const;

  void perform(const Command& command, std::uint64_t cycle);
  void compare_rows(const Command& command, std::uint64_t cycle);
  void compare_stored(const Command& command, std::uint64_t cycle);
  bool next_has_begun(const Command& command, Memory memory, std::uint32_t row, ShadowModel::Difference& difference);
  void find_unexpected_changes(const Command& command, std::uint64_t cycle);
  void remove_suspect(const Command& command);
  void compare_all(std::uint64_t cycle);
  void count_writers(const Footprint& footprint, int change);
  void compare_semaphores(std::uint64_t cycle, bool all_taken);

  Configuration configuration_;
  ExpectedMemory memory_;
  ShadowModel shadow_;
  CommandStream stream_;
  bool synchronized_ = false;
  bool listening_ = false;  ///< a doorbell was rung since the last reset; the core's outputs during reset are ignored
  std::array<std::deque<Command>, kEngines> in_flight_;
  std::array<std::vector<std::uint8_t>, kOnChipMemories> writers_;  ///< number of commands in flight that write a row
  std::optional<UnexpectedChange> unexpected_change_;
  Semaphores semaphores_{};                                    ///< values in the RTL
  std::array<int, isa::kSemaphores> expected_semaphores_{};    ///< signals of retired commands minus waits of started
                                                               ///< ones
  std::array<std::uint32_t, isa::kSemaphores> last_signal_{};  ///< index of the command that signalled last
};

}  // namespace systole::lockstep
