// SPDX-License-Identifier: Apache-2.0
#include "script_backend.hpp"

#include <fmt/core.h>

namespace systole::fourstate {

void ScriptBackend::bytes(char operation, std::uint64_t address, const void* data, std::size_t count) {
  const auto* byte = static_cast<const std::uint8_t*>(data);
  for (std::size_t i = 0; i < count; ++i) {
    fmt::print(script_, "{} {:x} {:x}\n", operation, address + i, byte[i]);
  }
}

std::uint32_t ScriptBackend::read_register(std::uint32_t offset) {
  fmt::print(script_, "r {:x} 0\n", offset);
  return model_->read_register(offset);
}

void ScriptBackend::write_register(std::uint32_t offset, std::uint32_t value) {
  fmt::print(script_, "w {:x} {:x}\n", offset, value);
  model_->write_register(offset, value);
}

Backend::CopyId ScriptBackend::copy_to_device(std::uint64_t device_address, const void* host, std::size_t count) {
  bytes('m', device_address, host, count);
  return model_->copy_to_device(device_address, host, count);
}

// The copy is made at once, because the script needs its bytes.
Backend::CopyId ScriptBackend::copy_from_device(void* host, std::uint64_t device_address, std::size_t count) {
  const CopyId id = model_->copy_from_device(host, device_address, count);
  model_->wait_copy(id);
  bytes('c', device_address, host, count);
  return id;
}

Backend::Wake ScriptBackend::wait_interrupt(std::uint64_t quiet_cycles) {
  fmt::print(script_, "i 0 0\n");
  return model_->wait_interrupt(quiet_cycles);
}

void ScriptBackend::run(std::uint64_t cycles) {
  fmt::print(script_, "d {:x} 0\n", cycles);
  model_->run(cycles);
}

}  // namespace systole::fourstate
