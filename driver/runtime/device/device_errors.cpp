// SPDX-License-Identifier: Apache-2.0
// Converts the contents of error and status registers to error messages.
#include <fmt/core.h>

#include <utility>

#include "hang_state.hpp"
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

std::string where(const Program& program, std::size_t index) {
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

  std::string text =
      fmt::format("device: {} in {}, engine {}, address {:#x}\n  {}\n  what to do: {}", isa::to_string(code),
                  where(program, index), isa::to_string(engine), address, instruction, remedy);
  std::shared_ptr<const HangReport> hang;
  if (code == isa::ErrorCode::kBusStuck) {
    const HangState state = read_hang_state(*backend_, first_, backend_->read_register(reg::kWatchdog));
    hang = std::make_shared<const HangReport>(explain_hang(program, state, HangReport::Origin::kDevice));
    text.append(1, '\n').append(hang->to_text());
  }
  DeviceError error(text + reset_after_failure());
  error.hang = std::move(hang);
  error.code = code;
  error.engine = engine;
  error.index = index;
  error.address = address;
  error.instruction = instruction;
  error.remedy = remedy;
  throw error;
}

void Device::raise_timeout(const Program& program, std::uint64_t quiet_cycles) {
  const HangState state = read_hang_state(*backend_, first_, quiet_cycles);
  const HangReport report = explain_hang(program, state, HangReport::Origin::kDevice);
  throw DeviceTimeout(report, reset_after_failure());
}

/// Returns an empty text, or why the reset failed: this must not replace the error that is being reported.
std::string Device::reset_after_failure() {
  try {
    reset();
  } catch (const std::runtime_error& error) {
    return fmt::format("\n  then {}", error.what());
  }
  return {};
}

}  // namespace systole
