// SPDX-License-Identifier: Apache-2.0
// The commands that the core will dispatch, by index. They are read from the ring and from JUMP targets when the
// doorbell rings; from then on memory must not change them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "model_memory.hpp"
#include "model_state.hpp"
#include "systole/bits.hpp"
#include "systole/generated/isa.hpp"

namespace systole::lockstep {

class CommandStream {
 public:
  static constexpr std::size_t kEngines = 4;

  explicit CommandStream(const Configuration& configuration) : dim_(configuration.dim), parts_(configuration.parts) {}

  /// Values written to the ring registers.
  void set_ring_base(std::uint32_t value);
  void set_ring_config(std::uint32_t value);

  /// Reads the ring up to the new tail. A command that the core refuses (illegal, or a failing fetch) ends the stream.
  void doorbell(std::uint32_t tail, const AddressWindows& windows, const model::DeviceMemory& memory);
  void reset();

  /// The command, or null if no doorbell has announced it or it has been forgotten.
  const isa::Instruction* find(std::uint32_t index) const;
  /// Indices of the commands that an engine has not taken yet, in order.
  const std::deque<std::uint32_t>& waiting(std::size_t engine) const { return waiting_[engine]; }
  /// The engine takes the first of them.
  void take(std::size_t engine) { waiting_[engine].pop_front(); }
  /// Index of the last command announced.
  std::uint32_t last() const { return first_ + static_cast<std::uint32_t>(commands_.size()) - 1; }
  /// Tag of the last END announced, 0 before there is one.
  std::uint32_t last_tag() const { return last_tag_; }
  /// Whether an END that clears the memories has been announced but not passed.
  bool clears() const { return !clears_.empty(); }
  /// Passes those before command `index`; returns true if there was one.
  bool pass_clears(std::uint32_t index);
  /// All commands are done: forgets them.
  void remove_retired();

 private:
  bool fetch(std::uint32_t window, std::uint32_t offset, const AddressWindows& windows,
             const model::DeviceMemory& memory, isa::Instruction& instruction) const;
  bool append(const isa::Instruction& instruction);

  int dim_;
  PartSet parts_;
  std::uint32_t ring_base_ = 0, ring_mask_ = 0, ring_window_ = 0;
  std::uint32_t head_ = 0;   ///< ring entries read
  std::uint32_t first_ = 0;  ///< index of commands_.front()
  bool ended_ = false;       ///< a command was refused
  std::uint32_t last_tag_ = 0;
  std::deque<isa::Instruction> commands_;
  std::deque<std::uint32_t> clears_;  ///< indices of ENDs that clear
  std::array<std::deque<std::uint32_t>, kEngines> waiting_;
};

}  // namespace systole::lockstep
