// SPDX-License-Identifier: Apache-2.0
#include "rtl_backend.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "progress.hpp"
#include "system.hpp"
#include "systemc_kernel.hpp"
#include "systole/configurations.hpp"
#include "systole/errors.hpp"
#include "systole/generated/registers.hpp"

namespace systole::sim {
namespace {

void require(bool good, const char* option, const std::string& legal) {
  if (!good) throw InvalidArgument(fmt::format("{}: must be {}", option, legal));
}

const BackendOptions& checked(const BackendOptions& options) {
  const std::uint64_t limit = std::uint64_t{1} << 32;
  require(options.memory_bytes >= 4096 && options.memory_bytes <= limit && options.memory_bytes % 4096 == 0,
          "memory_bytes", "a multiple of 4096 up to 4 GiB, the core's address space");
  require(options.memory.read_latency >= 1, "read_latency", "at least 1 cycle");
  require(options.memory.write_latency >= 1, "write_latency", "at least 1 cycle");
  require(options.memory.read_interval >= 1, "read_interval", "at least 1 cycle");
  require(options.memory.write_interval >= 1, "write_interval", "at least 1 cycle");
  require(options.stall_percent <= 95, "stall_percent", "0 to 95");
  require(options.host_bytes_per_cycle >= 1, "host_bytes_per_cycle", "at least 1");
  return options;
}

CoreOptions core_options(const BackendOptions& options) {
  CoreOptions core;
  core.memory.read_latency = options.memory.read_latency;
  core.memory.write_latency = options.memory.write_latency;
  core.memory.read_interval = options.memory.read_interval;
  core.memory.write_interval = options.memory.write_interval;
  core.memory.stall_percent = options.stall_percent;
  core.memory.random_order = options.order == ResponseOrder::kRandom;
  core.memory.seed = options.seed;
  core.seed = options.seed;
  core.trace = options.trace;
  return core;
}

class RtlBackend final : public Backend {
 public:
  RtlBackend(const BackendOptions& options, const CoreFactory& factory)
      : configuration_(find_configuration(options.configuration)),
        timing_(options.memory),
        storage_(checked(options).memory_bytes),
        core_(factory(configuration_, storage_, core_options(options))) {
    const Kernel::Scope scope(kernel_);
    MachineOptions machine;
    machine.host_latency = options.host_latency;
    machine.host_bytes_per_cycle = options.host_bytes_per_cycle;
    machine_ = std::make_unique<Machine>("machine", *core_, storage_, machine);
  }

  ~RtlBackend() override {
    const Kernel::Scope scope(kernel_);
    machine_.reset();
  }

  const Configuration& configuration() const override { return configuration_; }
  std::string name() const override { return "rtl"; }
  std::uint64_t memory_bytes() const override { return storage_.size(); }
  MemoryTiming memory_timing() const override { return timing_; }

  std::uint32_t read_register(std::uint32_t offset) override {
    std::uint32_t value = 0;
    bool good = false;
    execute([&] { good = machine_->cpu.read(offset, value); });
    if (!good) throw Failure(machine_->cpu.bus_error());
    return value;
  }
  void write_register(std::uint32_t offset, std::uint32_t value) override {
    bool good = false;
    execute([&] { good = machine_->cpu.write(offset, value); });
    if (!good) throw Failure(machine_->cpu.bus_error());
  }

  CopyId copy_to_device(std::uint64_t device_address, const void* host, std::size_t bytes) override {
    check_range(device_address, bytes);
    return start({machine_->host_memory.pin(host, bytes), device_address, bytes, true});
  }
  CopyId copy_from_device(void* host, std::uint64_t device_address, std::size_t bytes) override {
    check_range(device_address, bytes);
    return start({machine_->host_memory.pin_writable(host, bytes), device_address, bytes, false});
  }

  void read_memory(std::uint64_t device_address, void* to, std::size_t bytes) const override {
    check_range(device_address, bytes);
    std::memcpy(to, storage_.data() + device_address, bytes);
  }

  void wait_copy(CopyId id) override {
    if (id == 0 || id > last_copy_) throw InvalidArgument(fmt::format("copy {} was never started", id));
    if (machine_->dma.completed() < id) execute([this, id] { wait_dma(id); });
    while (!pinned_.empty() && pinned_.begin()->first <= id) {
      machine_->host_memory.unpin(pinned_.begin()->second.host, pinned_.begin()->second.bytes);
      pinned_.erase(pinned_.begin());
    }
    if (machine_->dma.failed(id)) throw Failure(fmt::format("copy {}: bus error", id));
  }

  Wake wait_interrupt(std::uint64_t quiet_cycles) override {
    Wake wake = Wake::kInterrupt;
    execute([&] { wake = wait_core(quiet_cycles); });
    return wake;
  }

  bool poll_interrupt(std::uint64_t cycles) override {
    bool high = false;
    execute([&] {
      if (!machine_->core_irq.read() && cycles != 0) {
        wait(Machine::period() * static_cast<double>(cycles), machine_->core_irq.posedge_event());
      }
      high = machine_->core_irq.read();
    });
    if (progress_) progress_(core_->cycles());
    return high;
  }

  void run(std::uint64_t cycles) override {
    if (cycles) execute([&] { wait(Machine::period() * static_cast<double>(cycles)); });
  }

  std::optional<std::vector<OwedBurst>> owed_bursts() const override { return core_->owed_bursts(); }

  std::uint64_t simulated_cycles() const override { return core_->cycles(); }
  double simulation_seconds() const override { return core_->seconds(); }
  void run_begins(const std::string& name) override { core_->run_begins(name); }
  void run_ended() override { core_->run_ended(); }
  std::string record_failure() override { return core_->record_failure(); }
  bool finish_recording() override { return core_->finish_recording(); }
  void observe(CoreObserver* observer) override { core_->observe(observer); }

 private:
  static constexpr std::uint64_t kStep = 1024;  ///< cycles between two looks at a running core

  /// Runs a job on the host processor until it is done.
  void execute(std::function<void()> job) {
    if (machine_->core.failure()) std::rethrow_exception(machine_->core.failure());
    const Kernel::Scope scope(kernel_);
    machine_->cpu.post(std::move(job));
    while (!machine_->cpu.done()) {
      sc_core::sc_start();
      if (machine_->core.failure()) std::rethrow_exception(machine_->core.failure());
      if (!machine_->cpu.done() && !sc_core::sc_pending_activity())
        throw InternalError("the machine has no pending events although an access has not completed");
    }
  }

  void check_range(std::uint64_t address, std::size_t bytes) const {
    if (storage_.contains(address, bytes)) return;
    throw OutOfRange(fmt::format("device bytes [{:#x}, {:#x}) exceed the memory of {:#x} bytes", address,
                                 address + bytes, storage_.size()));
  }

  CopyId start(const HostDma::Copy& copy) {
    const Kernel::Scope scope(kernel_);
    last_copy_ = machine_->dma.start(copy);
    pinned_[last_copy_] = copy;
    return last_copy_;
  }

  /// In a job: until the copy has completed, woken by the engine's interrupt. An idle core is not simulated meanwhile.
  void wait_dma(CopyId id) {
    Machine& machine = *machine_;
    while (machine.dma.completed() < id) {
      std::uint32_t status = 0;
      const bool idle = core_->bus_idle() && machine.cpu.read(reg::kStatus, status) &&
                        (status & (reg::kStatusBusy | reg::kStatusResetting)) == 0;
      machine.core.gate_clock(idle);
      const double patience = idle ? 1e12 : 64.0 * kStep;  // a busy core may become idle
      if (!machine.dma_irq.read()) wait(Machine::period() * patience, machine.dma_irq.posedge_event());
      machine.dma.acknowledge();
      wait(sc_core::SC_ZERO_TIME);
      wait(sc_core::SC_ZERO_TIME);  // the interrupt has followed
    }
    machine.core.gate_clock(false);
  }

  /// In a job: until the core's interrupt is high or nothing has moved for `quiet_cycles`.
  Wake wait_core(std::uint64_t quiet_cycles) {
    Machine& machine = *machine_;
    Progress progress(*core_, machine.cpu);
    const std::uint64_t look = std::max(kStep, quiet_cycles / 8);  // cycles between two looks at the engines
    std::uint64_t moved = core_->cycles(), looked = moved;
    while (!machine.core_irq.read()) {
      wait(Machine::period() * static_cast<double>(std::min(kStep, quiet_cycles + 1)),
           machine.core_irq.posedge_event());
      const std::uint64_t now = core_->cycles();
      if (progress_) progress_(now);
      if (!machine.core_irq.read() && cancelled()) return Wake::kCancelled;
      if (progress.bus_moved()) {
        moved = now;
      } else if (now - looked >= look || now - moved >= quiet_cycles) {
        looked = now;
        if (progress.engines_moved()) {
          moved = now;
        } else if (now - moved >= quiet_cycles && !machine.core_irq.read()) {
          return Wake::kTimeout;
        }
      }
    }
    return Wake::kInterrupt;
  }

  const Configuration& configuration_;
  const MemoryTiming timing_;
  Storage storage_;
  std::unique_ptr<CoreModel> core_;
  Kernel kernel_;
  std::unique_ptr<Machine> machine_;
  CopyId last_copy_ = 0;
  std::map<CopyId, HostDma::Copy> pinned_;  // copies whose host bytes are open to the bus
};

}  // namespace

std::unique_ptr<Backend> make_machine_backend(const BackendOptions& options, const CoreFactory& factory) {
  return std::make_unique<RtlBackend>(options, factory);
}

}  // namespace systole::sim
