// SPDX-License-Identifier: Apache-2.0
// The functional model, and a script of what its driver did to it: the same register accesses, copies and waits can
// then be replayed on the RTL in another simulator, which compares what comes back from memory.
//
// One operation a line, numbers in hexadecimal, as bench.sv reads them:
//   w OFFSET VALUE    write a register            m ADDRESS BYTE    a byte that the host puts into device memory
//   r OFFSET 0        read a register             c ADDRESS BYTE    a byte that device memory must hold
//   i 0 0             wait for the interrupt      d CYCLES 0        let clock cycles pass
#pragma once

#include <cstdio>
#include <memory>

#include "systole/backend.hpp"

namespace systole::fourstate {

class ScriptBackend final : public Backend {
 public:
  /// Writes to `script`, which stays the caller's.
  ScriptBackend(std::unique_ptr<Backend> model, std::FILE* script) : model_(std::move(model)), script_(script) {}

  const Configuration& configuration() const override { return model_->configuration(); }
  std::string name() const override { return model_->name(); }
  std::uint64_t memory_bytes() const override { return model_->memory_bytes(); }
  std::uint32_t read_register(std::uint32_t offset) override;
  void write_register(std::uint32_t offset, std::uint32_t value) override;
  CopyId copy_to_device(std::uint64_t device_address, const void* host, std::size_t bytes) override;
  CopyId copy_from_device(void* host, std::uint64_t device_address, std::size_t bytes) override;
  void wait_copy(CopyId id) override { model_->wait_copy(id); }
  void read_memory(std::uint64_t device_address, void* to, std::size_t bytes) const override {
    model_->read_memory(device_address, to, bytes);
  }
  Wake wait_interrupt(std::uint64_t quiet_cycles) override;
  void run(std::uint64_t cycles) override;
  std::uint64_t simulated_cycles() const override { return model_->simulated_cycles(); }
  double simulation_seconds() const override { return model_->simulation_seconds(); }
  void observe(CoreObserver* observer) override { model_->observe(observer); }

 private:
  void bytes(char operation, std::uint64_t address, const void* data, std::size_t count);

  std::unique_ptr<Backend> model_;
  std::FILE* script_;
};

}  // namespace systole::fourstate
