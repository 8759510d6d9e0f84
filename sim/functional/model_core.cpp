// SPDX-License-Identifier: Apache-2.0
// The command processor: ring, JUMP, END, reset.
#include "model_core.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "systole/generated/registers.hpp"
#include "systole/isa_check.hpp"

namespace systole::model {

Core::Core(const Configuration& configuration, DeviceMemory& memory, Observer observer)
    : memory_(memory),
      machine_(configuration, memory),
      observer_(std::move(observer)),
      watchdog_(reg::kWatchdogReset) {}

void Core::doorbell(std::uint32_t tail) {
  tail_ = tail;
  if (machine_.halted()) {
    return;
  }
  const std::uint32_t entries = 1u << (ring_config_ & ((1u << reg::kRingConfigLog2EntriesWidth) - 1));
  if (tail_ - head_ > entries) {
    machine_.fail(isa::ErrorCode::kRing, isa::Engine::kCommand, machine_.commands(), tail,
                  fmt::format("tail {} with head {} in a ring of {} entries", tail, head_, entries));
    irq_status_ |= reg::kIrqStatusError;
    return;
  }
  busy_ = busy_ || tail_ != head_;
  run();
}

void Core::run() {
  while (!machine_.halted() && (jump_left_ != 0 || head_ != tail_) && step()) {}
  if (machine_.halted()) {
    irq_status_ |= reg::kIrqStatusError;
  }
}

/// Executes one command. Returns false if the program cannot continue.
bool Core::step() {
  isa::Instruction instruction;
  if (!fetch(instruction)) {
    return false;
  }
  const auto opcode = static_cast<isa::Opcode>(isa::get(instruction, 0, 8));
  const bool in_jump = jump_left_ != 0;
  const bool legal = isa::is_legal(instruction, machine_.state().dim(), machine_.state().configuration().parts);
  if (legal && opcode == isa::Opcode::kJump && in_jump) {
    machine_.fail(isa::ErrorCode::kJump, isa::Engine::kCommand, machine_.commands(),
                  isa::Jump::decode(instruction).target, "JUMP inside a jumped-to program");
    return false;
  }
  if (machine_.execute(instruction) != Machine::Outcome::kDone) {
    return false;
  }
  if (in_jump) {
    jump_offset_ += isa::kInstructionBytes;
    --jump_left_;
  } else {
    ++head_;
  }
  if (opcode == isa::Opcode::kJump) {
    const auto op = isa::Jump::decode(instruction);
    // operation: JUMP
    // The next `count` commands come from the target, each fetched through its window; then the ring goes on.
    jump_window_ = op.window;
    jump_offset_ = op.target;
    jump_left_ = op.count;
    // end operation
  }
  if (opcode == isa::Opcode::kEnd) {
    irq_status_ |= reg::kIrqStatusDone;
    busy_ = jump_left_ != 0 || head_ != tail_;
  }
  observer_(instruction);
  return true;
}

bool Core::fetch(isa::Instruction& instruction) {
  const std::uint32_t entries = 1u << (ring_config_ & ((1u << reg::kRingConfigLog2EntriesWidth) - 1));
  const std::uint32_t offset =
      jump_left_ ? jump_offset_ : ring_base_ + (head_ & (entries - 1)) * isa::kInstructionBytes;
  const std::uint32_t window = jump_left_ ? jump_window_ : ring_config_ >> reg::kRingConfigWindowLsb;
  const AddressWindow& w = machine_.state().windows()[window];
  const std::uint32_t address = w.base + offset;
  const auto fail = [&](isa::ErrorCode code, std::uint32_t where) {
    machine_.fail(code, isa::Engine::kCommand, machine_.commands(), where, "fetch of the command");
    return false;
  };
  if (!allows(w, isa::kPermissionExecute, offset, isa::kInstructionBytes)) {
    return fail(isa::ErrorCode::kWindow, offset);
  }
  if (address + std::uint64_t{isa::kInstructionBytes} > memory_.size()) {
    return fail(isa::ErrorCode::kAxiRead, address);
  }
  memory_.read(address, instruction.words.data(), isa::kInstructionBytes);
  return true;
}

/// AddressWindows, ring registers, interrupt enable and watchdog are not reset.
void Core::reset() {
  machine_.reset();
  machine_.state().clear();
  busy_ = false;
  irq_status_ = 0;
  head_ = 0;
  tail_ = 0;
  jump_left_ = 0;
}

}  // namespace systole::model
