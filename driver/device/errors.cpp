// SPDX-License-Identifier: Apache-2.0
// From error registers and status to sentences.
#include <fmt/core.h>

#include "systole/device.hpp"
#include "systole/disassemble.hpp"
#include "systole/generated/registers.hpp"

namespace systole {
namespace {

std::string describe(const Program& program, std::size_t index) {
  if (index < program.instructions.size()) {
    return isa::disassemble(program.instructions[index]);
  }
  return index == program.instructions.size() ? "END" : "a command that the program does not have";
}

std::string place(const Program& program, std::size_t index) {
  const std::string label = program.label(index);
  return label.empty() ? fmt::format("command {}", index) : fmt::format("command {} of '{}'", index, label);
}

}  // namespace

void Device::raise_error(const Program& program) {
  const std::uint32_t record = backend_->read_register(reg::kErrorCode);
  const std::size_t index = backend_->read_register(reg::kErrorIndex) - first_;
  const std::uint32_t address = backend_->read_register(reg::kErrorAddress);
  const auto code = static_cast<isa::ErrorCode>(record >> reg::kErrorCodeCodeLsb & 0xFF);
  const auto engine = static_cast<isa::Engine>(record >> reg::kErrorCodeEngineLsb & 0xFF);
  const std::string instruction = describe(program, index);
  const std::string remedy = isa::remedy(code);

  DeviceError error(fmt::format("device: {} in {}, engine {}, address {:#x}\n  {}\n  what to do: {}",
                                isa::to_string(code), place(program, index), isa::to_string(engine), address,
                                instruction, remedy));
  error.code = code;
  error.engine = engine;
  error.index = index;
  error.address = address;
  error.instruction = instruction;
  error.remedy = remedy;
  reset();
  throw error;
}

void Device::raise_timeout(const Program& program, std::uint64_t quiet_cycles) {
  const std::uint32_t status = backend_->read_register(reg::kStatus);
  const std::uint32_t waiting = backend_->read_register(reg::kWaitingSemaphores);
  const std::uint32_t head = backend_->read_register(reg::kHead);
  const std::uint32_t dispatched = backend_->read_register(reg::kCommands) - first_;
  std::string text = fmt::format("device: nothing moved for {} cycles; {} of {} commands dispatched (head {}, tail {})",
                                 quiet_cycles, dispatched, program.instructions.size() + 1, head, tail_);
  bool named = false;
  for (int e = 0; e < kEngineCount; ++e) {
    const std::uint32_t wait = waiting >> (8 * e) & 0xFF;
    if ((wait & 0x80) != 0) {
      const std::uint32_t semaphore = wait & 0x1F;
      const std::uint32_t values =
          backend_->read_register(reg::kSemaphore + semaphore / 4 * reg::kSemaphoreStride);
      text += fmt::format("\n  {} waits for semaphore {}, which holds {}", isa::to_string(static_cast<isa::Engine>(e)),
                          semaphore, values >> (8 * (semaphore % 4)) & 0xFF);
      named = true;
    } else if ((status >> (reg::kStatusEngineBusyLsb + e) & 1) != 0) {
      text += fmt::format("\n  {} is busy and does not wait for a semaphore: it waits for the bus or for another engine",
                          isa::to_string(static_cast<isa::Engine>(e)));
      named = true;
    }
  }
  if (!named) {
    text += "\n  no engine has a command: the program has no END, or its fetch was not answered";
  }
  text += "\n  what to do: run with RunOptions::check to find the wait without a signal";
  reset();
  throw DeviceTimeout(text);
}

}  // namespace systole
