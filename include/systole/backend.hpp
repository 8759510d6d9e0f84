// SPDX-License-Identifier: Apache-2.0
// What a device must offer. Everything above (driver, operators, command line) is written against this alone; the
// Verilated core in its SystemC machine and the functional model implement it.
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
#include "systole/observer.hpp"
#include "systole/owed_burst.hpp"
#include "systole/trace.hpp"

namespace systole {

/// In which order the device memory answers reads that carry different transaction identifiers.
enum class ResponseOrder { kInOrder, kRandom };

/// How a device is opened.
struct BackendOptions {
  std::string configuration = "default";                ///< name in kConfigurations
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;  ///< device memory, sparse
  /// Back end "rtl" only: the functional model runs beside the core, every command's effect is compared when it
  /// retires, and the first that differs ends the run with LockstepDivergence (systole/lockstep.hpp). Results and
  /// cycles stay as they are. Programs must be free of races (systole/races.hpp).
  bool lockstep = false;
  // The rest is timing, which the functional model ignores.
  unsigned read_latency = 100;   ///< cycles from an accepted read address to its first beat
  unsigned write_latency = 100;  ///< cycles from the last write beat to its response
  unsigned read_interval = 1;    ///< cycles per read beat (bandwidth)
  unsigned write_interval = 1;   ///< cycles per write beat
  unsigned stall_percent = 0;    ///< chance per cycle and channel of a random stall
  ResponseOrder order = ResponseOrder::kInOrder;
  std::uint64_t seed = 1;              ///< of stalls, response order and initial register contents
  unsigned host_latency = 500;         ///< cycles before a host DMA copy moves its first byte
  unsigned host_bytes_per_cycle = 16;  ///< host DMA bandwidth
  TraceOptions trace;                  ///< which cycles go into a waveform
};

/// A device: registers, memory, host DMA, interrupt. Not thread-safe.
class Backend {
 public:
  using CopyId = std::uint64_t;
  enum class Wake {
    kInterrupt,  ///< the interrupt output is high
    kTimeout,    ///< the core made no progress for the given number of cycles
  };

  virtual ~Backend() = default;

  virtual const Configuration& configuration() const = 0;
  virtual std::string name() const = 0;  ///< "rtl" or "model"
  virtual std::uint64_t memory_bytes() const = 0;

  /// Register access by byte offset (systole::reg). Throws Failure, naming the offset, on a bus error.
  virtual std::uint32_t read_register(std::uint32_t offset) = 0;
  virtual void write_register(std::uint32_t offset, std::uint32_t value) = 0;

  /// Starts an asynchronous host DMA copy and returns its ticket. `host` must stay valid until wait_copy(). Copies
  /// complete in the order started. Throws OutOfRange when the device range exceeds the memory.
  virtual CopyId copy_to_device(std::uint64_t device_address, const void* host, std::size_t bytes) = 0;
  virtual CopyId copy_from_device(void* host, std::uint64_t device_address, std::size_t bytes) = 0;
  virtual void wait_copy(CopyId id) = 0;

  /// Bytes of device memory as they are now, without bus and time. Throws OutOfRange as copy_from_device().
  virtual void read_memory(std::uint64_t device_address, void* to, std::size_t bytes) const = 0;

  /// Runs the machine until the interrupt is high or nothing has moved for `quiet_cycles`.
  virtual Wake wait_interrupt(std::uint64_t quiet_cycles) = 0;

  /// Runs the machine for at most `cycles`, until the interrupt is high, and says whether it is. A back end that cannot
  /// stop before waits as wait_interrupt() does.
  virtual bool poll_interrupt(std::uint64_t cycles) { return wait_interrupt(cycles) == Wake::kInterrupt; }

  /// Lets `cycles` clock cycles pass (used while the core resets). No effect on the functional model.
  virtual void run(std::uint64_t cycles) = 0;

  /// What memory owes the core, oldest first for each kind; nothing where nobody knows. For reports on a core that
  /// hangs.
  virtual std::optional<std::vector<OwedBurst>> owed_bursts() const { return std::nullopt; }

  /// Clock cycles simulated so far, and CPU seconds that the simulation of the core has taken.
  virtual std::uint64_t simulated_cycles() const = 0;
  virtual double simulation_seconds() const = 0;

  /// Tells `observer` what the core does from now on; null ends it. One at a time: see Observers. It must live as long
  /// as it observes. The functional model has no cycles and never calls it.
  virtual void observe(CoreObserver* observer) = 0;

  /// For TraceOptions::layer, from the driver: the run of this name begins with the next register write; it ended. No
  /// effect on the functional model.
  virtual void run_begins(const std::string& /*name*/) {}
  virtual void run_ended() {}
  /// For TraceOptions::on_error: a failure has been found in what the device did. Returns a sentence that tells which
  /// cycles are where, or nothing: without the option, after the first failure, and on the functional model.
  virtual std::string record_failure() { return {}; }

  /// `progress` is called with simulated_cycles() from time to time while wait_interrupt() simulates; it must not
  /// throw. Empty ends the calls. The functional model makes none.
  void on_progress(std::function<void(std::uint64_t)> progress) { progress_ = std::move(progress); }

 protected:
  std::function<void(std::uint64_t)> progress_;
};

}  // namespace systole
