// SPDX-License-Identifier: Apache-2.0
// The interface of a device. Everything above it (driver, operators, command line) uses this interface alone. It is
// implemented by the Verilated core in its SystemC machine and by the functional model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/memory_timing.hpp"
#include "systole/observer.hpp"
#include "systole/owed_burst.hpp"
#include "systole/trace.hpp"

namespace systole {

/// The order in which device memory answers reads that carry different transaction identifiers.
enum class ResponseOrder { kInOrder, kRandom };

/// Options for opening a device.
struct BackendOptions {
  std::string configuration = "default";                ///< a name of systole/configurations.hpp
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< size of device memory; the host allocates it when used
  /// Back end "rtl" only: run the functional model beside the core and compare the effect of every command when it
  /// retires. The first difference ends the run with LockstepDivergence (systole/lockstep.hpp). Results and cycle
  /// counts do not change. Programs must be free of races (systole/races.hpp).
  bool lockstep = false;
  // All others concern timing, and the functional model ignores them.
  MemoryTiming memory;         ///< the compiler schedules for it, whatever the back end
  unsigned stall_percent = 0;  ///< chance per cycle and channel of a random stall
  ResponseOrder order = ResponseOrder::kInOrder;
  std::uint64_t seed = 1;              ///< for stalls, response order and initial register contents
  unsigned host_latency = 500;         ///< cycles before a host DMA copy moves its first byte
  unsigned host_bytes_per_cycle = 16;  ///< host DMA bandwidth
  TraceOptions trace;                  ///< the cycles recorded as a waveform
};

/// A device: registers, memory, host DMA, interrupt. Not thread-safe.
class Backend {
 public:
  using CopyId = std::uint64_t;
  enum class Wake {
    kInterrupt,  ///< the interrupt output is high
    kTimeout,    ///< the core was quiet for the given number of cycles
    kCancelled,  ///< the function of on_cancel() returned true
  };

  virtual ~Backend() = default;

  virtual const Configuration& configuration() const = 0;
  virtual std::string name() const = 0;  ///< "rtl" or "model"
  virtual std::uint64_t memory_bytes() const = 0;
  /// What programs for this device are scheduled for.
  virtual MemoryTiming memory_timing() const { return {}; }

  /// Register access by byte offset (constants in systole::reg). Throws Failure on a bus error.
  virtual std::uint32_t read_register(std::uint32_t offset) = 0;
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;

  /// Starts an asynchronous host DMA copy. `host` must stay valid until wait_copy() returns. Copies complete in the
  /// order in which they were started. Throws OutOfRange when the device range exceeds device memory.
  virtual CopyId copy_to_device(std::uint64_t device_address, const void* host, std::size_t bytes) = 0;
  virtual CopyId copy_from_device(void* host, std::uint64_t device_address, std::size_t bytes) = 0;
  virtual void wait_copy(CopyId id) = 0;

  /// Reads device memory directly, without the bus and without time passing. Throws OutOfRange as copy_from_device().
  virtual void read_memory(std::uint64_t device_address, void* to, std::size_t bytes) const = 0;

  /// Runs the machine until the interrupt is high or the core has been quiet for `quiet_cycles` cycles.
  virtual Wake wait_interrupt(std::uint64_t quiet_cycles) = 0;

  /// Runs the machine until the interrupt is high, for at most `cycles`, and returns whether it is high. The default
  /// implementation is for back ends that can only stop at an interrupt or a time-out.
  virtual bool poll_interrupt(std::uint64_t cycles) { return wait_interrupt(cycles) == Wake::kInterrupt; }

  /// Lets `cycles` clock cycles pass (used while the core resets). No effect on the functional model.
  virtual void run(std::uint64_t cycles) = 0;

  /// The bursts that memory has accepted and not completed, oldest first for each kind, for reports on a hanging core.
  /// No value if the back end does not know them.
  virtual std::optional<std::vector<OwedBurst>> owed_bursts() const { return std::nullopt; }

  /// Clock cycles simulated so far, and the CPU seconds spent on simulating the core.
  virtual std::uint64_t simulated_cycles() const = 0;
  virtual double simulation_seconds() const = 0;

  /// Reports the core's events to `observer` from now on; null ends this. There is one observer at a time (Observers
  /// combines several). It must live until it is replaced. The functional model has no cycles and never calls it.
  virtual void observe(CoreObserver* observer) = 0;

  /// Called by the driver, for TraceOptions::layer: the run of this name begins with the next register write, and has
  /// ended. No effect on the functional model.
  virtual void run_begins(const std::string& /*name*/) {}
  virtual void run_ended() {}
  /// Called when an error was found in the device's behavior, for TraceOptions::on_error. Returns a sentence that says
  /// which cycles were recorded to which file. Empty without the option, after the first failure, and on the model.
  virtual std::string record_failure() { return {}; }
  /// Completes the waveform; nothing more is recorded. Returns whether there is one. Throws FileError.
  virtual bool finish_recording() { return false; }

  /// Sets a function that wait_interrupt() calls with simulated_cycles() from time to time; it must not throw. An empty
  /// function ends the calls. The functional model makes none.
  void on_progress(std::function<void(std::uint64_t)> progress) { progress_ = std::move(progress); }

  /// Sets a function that is asked from time to time, while a program runs, whether to stop waiting for it; it must not
  /// throw. Then wait_interrupt() returns Wake::kCancelled; the functional model, which executes a program when it is
  /// submitted, throws Cancelled. An empty function ends the calls.
  void on_cancel(std::function<bool()> cancelled) { cancelled_ = std::move(cancelled); }

 protected:
  bool cancelled() const { return cancelled_ && cancelled_(); }

  std::function<void(std::uint64_t)> progress_;
  std::function<bool()> cancelled_;
};

}  // namespace systole
