// SPDX-License-Identifier: Apache-2.0
// Observers of running programs: of the core, cycle by cycle, and of the runs of a device. Traces, checkers and
// profiles are Observers that are attached to a Device.
//
// Observers change neither results nor cycle counts, and simulation is not slower if there are none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systole/generated/isa.hpp"

namespace systole {

struct Listing;

/// A run begins with the bus handshake of the doorbell write, this many cycles before the first cause that is not IDLE.
/// The core's counters count these cycles for that first cause (rtl/csr/tpu_counters.sv).
inline constexpr std::uint64_t kDoorbellCycles = 2;

/// Events of the Verilated core. Cycle numbers are those of Backend::simulated_cycles() and of waveforms, where cycle n
/// begins at n ns. They never decrease; within a cycle the calls are in the order of the functions below.
///
/// In the first observed cycle, each engine's cause and the semaphores are reported; afterwards only changes are. An
/// `index` counts dispatched commands since reset, as ERROR_INDEX does. An `engine` is a value of isa::Engine.
///
/// A function may throw to end the simulation: the exception reaches the caller of Device::run() (or of the Backend's
/// function), and every later use of the device throws it again.
class CoreObserver {
 public:
  virtual ~CoreObserver() = default;

  /// The core is in reset. Commands that were dispatched and have not retired never will.
  virtual void was_reset(std::uint64_t /*cycle*/) {}
  /// The cause of the engine from this cycle on, a value of isa::Cause.
  virtual void cause_changed(std::uint64_t /*cycle*/, unsigned /*engine*/, unsigned /*cause*/) {}
  /// The values in this cycle; they result from the events of the cycle before.
  virtual void semaphores_changed(std::uint64_t /*cycle*/,
                                  const std::array<std::uint8_t, isa::kSemaphores>& /*values*/) {}
  /// A command committed in the cycle before: its results are written and its semaphores signalled. Called for SYNC
  /// too, but not for JUMP and END, which no engine executes. Commands of an engine retire in program order.
  virtual void retired(std::uint64_t /*cycle*/, unsigned /*engine*/, std::uint32_t /*index*/) {}
  /// The engine takes its next command, whose waits are satisfied; a SYNC is taken in the cycle in which it completes.
  /// Up to eight commands of an engine can be in flight.
  virtual void started(std::uint64_t /*cycle*/, unsigned /*engine*/, std::uint32_t /*index*/) {}
  /// The memory accepts the address of a burst of `beats` (1 to 256) bus words of DIM bytes. Reads have the identifier
  /// 0 for the instruction fetch and 1 for LOAD; all writes belong to STORE.
  virtual void burst(std::uint64_t /*cycle*/, bool /*write*/, std::uint64_t /*address*/, unsigned /*beats*/,
                     unsigned /*id*/) {}
};

/// Runs of a device, on either back end. The functional model has no time: its cycles are all 0.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// A program is about to start. Its instruction i has the command index first_index + i. The program does not change
  /// until run_ended(). `name` is RunOptions::name, or by default the program's labels.
  virtual void run_begins(const Listing& /*program*/, std::uint32_t /*first_index*/, const std::string& /*name*/,
                          std::uint64_t /*cycle*/) {}
  /// Called after each run: when the interrupt was high, the run timed out, or an exception ended the simulation. An
  /// exception that it throws reaches the caller of Device::run(), unless the run has failed already.
  virtual void run_ended(std::uint64_t /*cycle*/) {}
  /// Device::finish_recordings(): no event follows. An observer that writes a file completes it and throws FileError if
  /// that fails.
  virtual void finish() {}
};

/// An observer of both the core and the runs.
class Observer : public CoreObserver, public RunObserver {};

/// Forwards every event to several observers, in the order in which they were added.
class Observers final : public Observer {
 public:
  void add(std::shared_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }
  void remove(const Observer& observer) {
    observers_.erase(
        std::remove_if(observers_.begin(), observers_.end(), [&](const auto& o) { return o.get() == &observer; }),
        observers_.end());
  }
  bool empty() const { return observers_.empty(); }

  void was_reset(std::uint64_t cycle) override {
    for (const auto& o : observers_) o->was_reset(cycle);
  }
  void cause_changed(std::uint64_t cycle, unsigned engine, unsigned cause) override {
    for (const auto& o : observers_) o->cause_changed(cycle, engine, cause);
  }
  void semaphores_changed(std::uint64_t cycle, const std::array<std::uint8_t, isa::kSemaphores>& values) override {
    for (const auto& o : observers_) o->semaphores_changed(cycle, values);
  }
  void retired(std::uint64_t cycle, unsigned engine, std::uint32_t index) override {
    for (const auto& o : observers_) o->retired(cycle, engine, index);
  }
  void started(std::uint64_t cycle, unsigned engine, std::uint32_t index) override {
    for (const auto& o : observers_) o->started(cycle, engine, index);
  }
  void burst(std::uint64_t cycle, bool write, std::uint64_t address, unsigned beats, unsigned id) override {
    for (const auto& o : observers_) o->burst(cycle, write, address, beats, id);
  }
  void run_begins(const Listing& program, std::uint32_t first_index, const std::string& name,
                  std::uint64_t cycle) override {
    for (const auto& o : observers_) o->run_begins(program, first_index, name, cycle);
  }
  void run_ended(std::uint64_t cycle) override {
    for (const auto& o : observers_) o->run_ended(cycle);
  }
  void finish() override {
    for (const auto& o : observers_) o->finish();
  }

 private:
  std::vector<std::shared_ptr<Observer>> observers_;
};

}  // namespace systole
