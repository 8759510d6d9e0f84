// SPDX-License-Identifier: Apache-2.0
#include "command_stream.hpp"

#include "systole/generated/registers.hpp"
#include "systole/isa_check.hpp"

namespace systole::lockstep {

void CommandStream::set_ring_base(std::uint32_t value) { ring_base_ = value & ~(isa::kInstructionBytes - 1u); }

void CommandStream::set_ring_config(std::uint32_t value) {
  ring_mask_ = (1u << (value & ((1u << reg::kRingConfigLog2EntriesWidth) - 1))) - 1;
  ring_window_ = value >> reg::kRingConfigWindowLsb & ((1u << reg::kRingConfigWindowWidth) - 1);
}

void CommandStream::doorbell(std::uint32_t tail, const AddressWindows& windows, const model::DeviceMemory& memory) {
  ended_ = ended_ || tail - head_ > ring_mask_ + 1;
  for (; !ended_ && head_ != tail; ++head_) {
    isa::Instruction instruction;
    if (!fetch(ring_window_, ring_base_ + (head_ & ring_mask_) * isa::kInstructionBytes, windows, memory,
               instruction) ||
        !append(instruction)) {
      ended_ = true;
    } else if (isa::get(instruction, 0, 8) == static_cast<std::uint32_t>(isa::Opcode::kJump)) {
      const isa::Jump jump = isa::Jump::decode(instruction);
      for (std::uint32_t i = 0; !ended_ && i < jump.count; ++i) {
        ended_ = !fetch(jump.window, jump.target + i * isa::kInstructionBytes, windows, memory, instruction) ||
                 isa::get(instruction, 0, 8) == static_cast<std::uint32_t>(isa::Opcode::kJump) || !append(instruction);
      }
    }
  }
}

void CommandStream::reset() {
  head_ = first_ = last_tag_ = 0;
  ended_ = false;
  commands_.clear();
  clears_.clear();
  for (auto& queue : waiting_) {
    queue.clear();
  }
}

const isa::Instruction* CommandStream::find(std::uint32_t index) const {
  const std::uint32_t at = index - first_;
  return at < commands_.size() ? &commands_[at] : nullptr;
}

bool CommandStream::pass_clears(std::uint32_t index) {
  bool passed = false;
  for (; !clears_.empty() && static_cast<std::int32_t>(index - clears_.front()) > 0; clears_.pop_front()) {
    passed = true;
  }
  return passed;
}

void CommandStream::remove_retired() {
  first_ += static_cast<std::uint32_t>(commands_.size());
  commands_.clear();
}

bool CommandStream::fetch(std::uint32_t window, std::uint32_t offset, const AddressWindows& windows,
                          const model::DeviceMemory& memory, isa::Instruction& instruction) const {
  const AddressWindow& w = windows[window];
  const std::uint32_t address = w.base + offset;
  if (!allows(w, isa::kPermissionExecute, offset, isa::kInstructionBytes) ||
      address + std::uint64_t{isa::kInstructionBytes} > memory.size()) {
    return false;
  }
  memory.read(address, instruction.words.data(), isa::kInstructionBytes);
  return true;
}

/// Returns false if the core refuses the command.
bool CommandStream::append(const isa::Instruction& instruction) {
  if (!isa::is_legal(instruction, dim_, parts_)) {
    return false;
  }
  const auto index = first_ + static_cast<std::uint32_t>(commands_.size());
  const auto engine = static_cast<std::size_t>(isa::find_instruction(instruction)->engine);
  commands_.push_back(instruction);
  if (engine < kEngines) {
    waiting_[engine].push_back(index);
  }
  if (isa::get(instruction, 0, 8) == static_cast<std::uint32_t>(isa::Opcode::kEnd)) {
    const isa::End end = isa::End::decode(instruction);
    last_tag_ = end.tag;
    if (end.clear != 0) {
      clears_.push_back(index);
    }
  }
  return true;
}

}  // namespace systole::lockstep
