// SPDX-License-Identifier: Apache-2.0
// Register file and command processor around the machine.
#pragma once

#include <cstdint>
#include <functional>

#include "model_machine.hpp"

namespace systole::model {

class Core {
 public:
  /// Called with each dispatched command, in order, before the next is dispatched.
  using Observer = std::function<void(const isa::Instruction&)>;

  Core(const Configuration& configuration, DeviceMemory& memory, Observer observer);

  /// Both throw std::runtime_error, naming the offset, where the hardware answers with a bus error. A write to a locked
  /// register is also recorded as an error.
  std::uint32_t read(std::uint32_t offset) const;
  void write(std::uint32_t offset, std::uint32_t value);

  bool interrupt() const { return (irq_status_ & irq_enable_) != 0; }
  Machine& machine() { return machine_; }
  const Machine& machine() const { return machine_; }

 private:
  void doorbell(std::uint32_t tail);
  void run();
  bool step();
  bool fetch(isa::Instruction& instruction);
  void refuse_if_busy(std::uint32_t offset);
  void reset();
  std::uint32_t status() const;

  DeviceMemory& memory_;
  Machine machine_;
  Observer observer_;
  bool busy_ = false;
  std::uint32_t irq_status_ = 0;
  std::uint32_t irq_enable_ = 0;
  std::uint32_t ring_base_ = 0;
  std::uint32_t ring_config_ = 0;
  std::uint32_t watchdog_;
  std::uint32_t head_ = 0;
  std::uint32_t tail_ = 0;
  std::uint32_t jump_offset_ = 0;
  std::uint32_t jump_left_ = 0;
  std::uint32_t jump_window_ = 0;
};

}  // namespace systole::model
