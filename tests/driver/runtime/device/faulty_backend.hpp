// SPDX-License-Identifier: Apache-2.0
// Small programs, and a functional model with faults on request.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model_backend.hpp"
#include "systole/device.hpp"

namespace systole {

inline BackendOptions small_memory() {
  BackendOptions options;
  options.memory_bytes = std::uint64_t{16} << 20;
  return options;
}

/// A program of given instructions, with bindings that legal_load() reads.
inline Program program_of(std::vector<isa::Instruction> instructions) {
  Program program;
  program.binding_bytes = 4096;
  program.label_of.assign(instructions.size(), 0);
  program.labels = {"by hand"};
  program.instructions = std::move(instructions);
  return program;
}

inline isa::Load legal_load() {
  isa::Load load;
  load.src = 1024;
  load.run_bytes = 16;
  load.piece_step = load.piece_bytes = load.slot_bytes = 16;
  load.valid_to = 1;
  return load;
}

/// Faults that a test can request.
struct Faults {
  std::map<std::uint32_t, std::uint32_t> register_values = {};  ///< register offset to the wrong value that it returns
  bool copies_fail = false;                                     ///< wait_copy() throws
  bool runs_throw = false;                                      ///< wait_interrupt() reports progress and throws
  std::function<void()> in_runs = {};                           ///< wait_interrupt() calls it, unless it is empty
};

/// A functional model with these faults, which the test may change at any time.
class FaultyBackend final : public Backend {
 public:
  explicit FaultyBackend(std::shared_ptr<Faults> faults, const BackendOptions& options = small_memory())
      : real_(model::open_model(options)), faults_(std::move(faults)) {}
  explicit FaultyBackend(std::map<std::uint32_t, std::uint32_t> register_values)
      : FaultyBackend(std::make_shared<Faults>(Faults{std::move(register_values)})) {}

  const Configuration& configuration() const override { return real_->configuration(); }
  std::string name() const override { return "faulty"; }
  std::uint64_t memory_bytes() const override { return real_->memory_bytes(); }
  std::uint32_t read_register(std::uint32_t offset) override {
    const auto wrong = faults_->register_values.find(offset);
    return wrong != faults_->register_values.end() ? wrong->second : real_->read_register(offset);
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override { real_->write_register(offset, value); }
  CopyId copy_to_device(std::uint64_t address, const void* host, std::size_t bytes) override {
    return real_->copy_to_device(address, host, bytes);
  }
  CopyId copy_from_device(void* host, std::uint64_t address, std::size_t bytes) override {
    return real_->copy_from_device(host, address, bytes);
  }
  void read_memory(std::uint64_t address, void* to, std::size_t bytes) const override {
    real_->read_memory(address, to, bytes);
  }
  void wait_copy(CopyId id) override {
    real_->wait_copy(id);
    if (faults_->copies_fail) throw std::runtime_error("copy: bus error");
  }
  Wake wait_interrupt(std::uint64_t quiet) override {
    if (progress_) progress_(real_->simulated_cycles() + 1);
    if (faults_->in_runs) faults_->in_runs();
    if (faults_->runs_throw) throw std::runtime_error("the simulation ends here");
    return real_->wait_interrupt(quiet);
  }
  void run(std::uint64_t cycles) override { real_->run(cycles); }
  std::uint64_t simulated_cycles() const override { return real_->simulated_cycles(); }
  double simulation_seconds() const override { return real_->simulation_seconds(); }
  void observe(CoreObserver* observer) override { real_->observe(observer); }

 private:
  std::unique_ptr<Backend> real_;
  std::shared_ptr<Faults> faults_;
};

}  // namespace systole
