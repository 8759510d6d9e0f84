// SPDX-License-Identifier: Apache-2.0
#include "model_backend.hpp"

#include <fmt/core.h>

#include <chrono>
#include <utility>
#include <vector>

#include "model_core.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"
#include "systole/generated/registers.hpp"
#include "systole/legality.hpp"
#include "systole/races.hpp"

namespace systole::model {
namespace {

std::uint64_t checked_size(std::uint64_t bytes) {
  constexpr std::uint64_t kPage = 4096;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  if (bytes == 0 || bytes % kPage != 0 || bytes > kMost) {
    throw InvalidArgument(fmt::format("memory_bytes: {} is not a multiple of {} up to {}", bytes, kPage, kMost));
  }
  return bytes;
}

class FunctionalBackend final : public ModelBackend {
 public:
  FunctionalBackend(const BackendOptions& options, const Options& model)
      : configuration_(find_configuration(options.configuration)),
        timing_(options.memory),
        memory_(checked_size(options.memory_bytes)),
        options_(model),
        core_(configuration_, memory_, [this](const isa::Instruction& instruction) { collect(instruction); }) {
    if (options.lockstep) {
      throw InvalidArgument("lockstep: compares the RTL with the functional model; use back end \"rtl\"");
    }
    core_.machine().use_fast_paths(model.fast_paths);
    begin_program();
  }

  const Configuration& configuration() const override { return configuration_; }
  std::string name() const override { return "model"; }
  std::uint64_t memory_bytes() const override { return memory_.size(); }
  MemoryTiming memory_timing() const override { return timing_; }
  Machine& machine() override { return core_.machine(); }

  std::uint32_t read_register(std::uint32_t offset) override { return core_.read(offset); }

  void write_register(std::uint32_t offset, std::uint32_t value) override {
    const auto start = std::chrono::steady_clock::now();
    core_.write(offset, value);
    if (offset == reg::kControl && (value & reg::kControlReset)) {
      begin_program();
    }
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  CopyId copy_to_device(std::uint64_t device_address, const void* host, std::size_t bytes) override {
    check_copy(device_address, bytes);
    memory_.write(device_address, host, bytes);
    return ++copies_;
  }

  CopyId copy_from_device(void* host, std::uint64_t device_address, std::size_t bytes) override {
    check_copy(device_address, bytes);
    memory_.read(device_address, host, bytes);
    return ++copies_;
  }

  void read_memory(std::uint64_t device_address, void* to, std::size_t bytes) const override {
    check_copy(device_address, bytes);
    memory_.read(device_address, to, bytes);
  }

  void wait_copy(CopyId) override {}
  Wake wait_interrupt(std::uint64_t) override { return core_.interrupt() ? Wake::kInterrupt : Wake::kTimeout; }
  void run(std::uint64_t) override {}
  std::uint64_t simulated_cycles() const override { return 0; }
  double simulation_seconds() const override { return seconds_; }
  void observe(CoreObserver*) override {}

  std::string explain() const override {
    const Machine& m = core_.machine();
    if (m.halted()) {
      return m.error().text;
    }
    const Blocked& b = m.blocked();
    return b.blocked ? fmt::format("command {} ({}) waits for semaphore {}, which nothing before it raises", b.index,
                                   isa::to_string(b.engine), b.semaphore)
                     : std::string();
  }

 private:
  void begin_program() {
    program_.clear();
    known_.kernels = core_.machine().state().kernels();
  }

  /// Called for each command: collects those of a program and checks them when END has been executed.
  void collect(const isa::Instruction& instruction) {
    if (cancelled()) {
      throw Cancelled("run: cancelled");
    }
    if (!options_.check_legality && !options_.check_races) {
      return;
    }
    program_.push_back(instruction);
    if (isa::get(instruction, 0, 8) != static_cast<std::uint32_t>(isa::Opcode::kEnd)) {
      return;
    }
    const std::vector<isa::Instruction> program = program_;
    const KnownMemory known = known_;
    begin_program();
    const AddressWindows& windows = core_.machine().state().windows();
    if (options_.check_legality) {
      if (const auto refusal = check_program(program, configuration_, windows, known)) {
        throw CheckFailure("illegal program: " + refusal->text());
      }
    }
    if (options_.check_races) {
      if (const auto race = check_races(program, configuration_, windows, known)) {
        throw CheckFailure(race->text());
      }
    }
  }

  void check_copy(std::uint64_t address, std::size_t bytes) const {
    if (address > memory_.size() || bytes > memory_.size() - address) {
      throw OutOfRange(fmt::format("copy of {} bytes at 0x{:x} exceeds the device memory of {} bytes", bytes, address,
                                   memory_.size()));
    }
  }

  Configuration configuration_;
  const MemoryTiming timing_;
  SparseMemory memory_;
  Options options_;
  std::vector<isa::Instruction> program_;  ///< commands since the last END, for the checkers
  /// Memories before them. Device memory is read after them, which differs only where one of them stores.
  KnownMemory known_{[this](std::uint64_t address, std::size_t bytes, void* to) {
                       if (address + bytes > memory_.size()) {
                         return false;
                       }
                       memory_.read(address, to, bytes);
                       return true;
                     },
                     {}};
  Core core_;
  CopyId copies_ = 0;
  double seconds_ = 0;
};

}  // namespace

std::unique_ptr<ModelBackend> open_model(const BackendOptions& options, const Options& model) {
  return std::make_unique<FunctionalBackend>(options, model);
}

}  // namespace systole::model
