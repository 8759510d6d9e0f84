// SPDX-License-Identifier: Apache-2.0
// What can be watched while programs run: the core, cycle by cycle, and the runs of a device. A trace, a checker that
// runs beside the core, or a profile is an Observer that is attached to a Device.
//
// Nothing here changes a result or a cycle count, and a core that nobody observes costs no more to simulate.
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

/// A run begins with the doorbell's handshake on the bus: this many cycles before the first cause that is not IDLE,
/// which the core's counters give these cycles to (rtl/csr/tpu_counters.sv).
inline constexpr std::uint64_t kDoorbellCycles = 2;

/// Events of the Verilated core. Cycle numbers are those of Backend::simulated_cycles() and of waveforms (cycle n
/// begins at n ns) and never fall from one call to the next; within a cycle the order is that of the functions here.
///
/// The first observed cycle reports each engine's cause and the semaphores; from then on changes alone are reported. An
/// `index` counts dispatched commands since reset, as ERROR_INDEX does; an engine is its number in isa::Engine.
///
/// A function may throw to end the simulation: the exception reaches the caller of Device::run() (or of the Backend's
/// function), and every later use of the device throws it again.
class CoreObserver {
 public:
  virtual ~CoreObserver() = default;

  /// The core is in reset: what was dispatched and has not retired never will.
  virtual void was_reset(std::uint64_t /*cycle*/) {}
  /// What the engine does from this cycle on, a value of isa::Cause.
  virtual void cause_changed(std::uint64_t /*cycle*/, unsigned /*engine*/, unsigned /*cause*/) {}
  /// The values in this cycle; what happened in the cycle before made them.
  virtual void semaphores_changed(std::uint64_t /*cycle*/,
                                  const std::array<std::uint8_t, isa::kSemaphores>& /*values*/) {}
  /// A command committed in the cycle before: its results are in place and its signals are given. Also for SYNC; not
  /// for JUMP and END, which no engine runs. Commands of an engine retire in program order.
  virtual void retired(std::uint64_t /*cycle*/, unsigned /*engine*/, std::uint32_t /*index*/) {}
  /// The engine takes its next command, which has its waits; a SYNC is taken in the cycle that completes it. Engines
  /// take commands ahead, at most eight.
  virtual void started(std::uint64_t /*cycle*/, unsigned /*engine*/, std::uint32_t /*index*/) {}
  /// The memory takes the address of a burst of `beats` (1 to 256) words of the bus's width, DIM bytes. Read identifier
  /// 0 fetches instructions, 1 is LOAD; writes are STORE's.
  virtual void burst(std::uint64_t /*cycle*/, bool /*write*/, std::uint64_t /*address*/, unsigned /*beats*/,
                     unsigned /*id*/) {}
};

/// Runs of a device, on either back end. The functional model has no time: its cycles are all 0.
class RunObserver {
 public:
  virtual ~RunObserver() = default;

  /// A program is about to be started; its instruction i has command index first_index + i. The program stays as it is
  /// until run_ended(). `name` is RunOptions::name, or the program's labels.
  virtual void run_begins(const Listing& /*program*/, std::uint32_t /*first_index*/, const std::string& /*name*/,
                          std::uint64_t /*cycle*/) {}
  /// After each run that has begun: the interrupt was high, nothing moved any more, or an exception has ended the
  /// simulation. What it throws reaches the caller of Device::run(), unless the run has failed already.
  virtual void run_ended(std::uint64_t /*cycle*/) {}
};

/// Both.
class Observer : public CoreObserver, public RunObserver {};

/// Passes every event on to each of several observers, in the order in which they were added.
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

 private:
  std::vector<std::shared_ptr<Observer>> observers_;
};

}  // namespace systole
