// SPDX-License-Identifier: Apache-2.0
// The interface of a Verilated core with its device memory and protocol checkers, the same for all configurations. It
// does not use SystemC: the machine around it calls run() once per quantum.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "axi_memory.hpp"
#include "on_chip.hpp"
#include "systole/observer.hpp"
#include "systole/owed_burst.hpp"
#include "systole/simulation_error.hpp"
#include "systole/trace.hpp"

namespace systole::sim {

struct CoreOptions {
  AxiMemoryTiming memory;
  std::uint64_t seed = 1;  ///< for the initial register contents
  TraceOptions trace;      ///< the cycles recorded as a waveform
};

struct RegisterAccess {
  bool write;
  std::uint32_t offset;
  std::uint32_t value;  ///< value to write
};

struct RegisterAnswer {
  std::uint32_t value;  ///< value read
  unsigned response;    ///< AXI response code
};

class CoreModel {
 public:
  virtual ~CoreModel() = default;

  /// Simulates up to `cycles` clock cycles and returns their number. It returns earlier when the interrupt output
  /// changes or a register access completes. Throws SimulationError.
  virtual std::uint64_t run(std::uint64_t cycles) = 0;

  /// One register access at a time; it completes during run().
  virtual void start_access(const RegisterAccess& access) = 0;
  virtual bool access_pending() const = 0;
  virtual RegisterAnswer answer() const = 0;

  virtual bool interrupt() const = 0;
  virtual std::uint64_t traffic() const = 0;  ///< number of handshakes at the memory port so far
  virtual bool bus_idle() const = 0;          ///< no memory transaction outstanding
  virtual std::vector<OwedBurst> owed_bursts()
      const = 0;                             ///< outstanding memory transactions, oldest first for each kind
  virtual std::uint64_t cycles() const = 0;  ///< number of cycles simulated so far
  virtual double seconds() const = 0;        ///< CPU seconds spent in run()

  /// As the functions of Backend.
  virtual void run_begins(const std::string& name) = 0;
  virtual void run_ended() = 0;
  virtual std::string record_failure() = 0;
  virtual bool finish_recording() = 0;

  /// Reports events to `observer` from the next run() on; null ends this. run() passes on the observer's exceptions;
  /// the model cannot be used afterwards.
  virtual void observe(CoreObserver* observer) = 0;

  /// The core's memories, for reading between cycles.
  virtual OnChip on_chip() const = 0;
};

/// Creates the core in the named configuration and resets it. Throws InvalidArgument for a configuration that is not
/// included in this build, and for a waveform file that cannot be opened.
std::unique_ptr<CoreModel> make_core(std::string_view configuration, Storage& storage, const CoreOptions& options);

/// The configurations that this build includes.
const std::vector<std::string>& built_cores();

}  // namespace systole::sim
