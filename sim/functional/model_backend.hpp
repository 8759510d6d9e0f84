// SPDX-License-Identifier: Apache-2.0
// The functional model as a device, with the checkers that only it can run.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "model_machine.hpp"
#include "systole/backend.hpp"

namespace systole::model {

/// What the model does besides computing.
struct Options {
  bool check_legality = false;  ///< each program, when its END has been executed, against systole/legality.hpp
  bool check_races = false;     ///< and against systole/races.hpp
  bool fast_paths = true;       ///< false: every operation as the reference pages show it
};

/// A program that a checker refuses; the text names the commands. Thrown by the register write that ran the program.
class CheckFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Registers as the hardware has them, except that there is no time: the counters (CYCLES, CAUSE_COUNT, SEMAPHORE_WAIT,
/// PADDED_VECTORS, READ_BEATS, WRITE_BEATS) and simulated_cycles() read zero, a doorbell runs the program before it
/// returns, copies are immediate. A program that blocks leaves the interrupt low, and STATUS and WAITING_SEMAPHORES
/// name the wait.
class ModelBackend : public Backend {
 public:
  virtual Machine& machine() = 0;
  /// The error, or the wait that blocks, in words; empty when all is well.
  virtual std::string explain() const = 0;
};

/// Throws std::invalid_argument naming the option that is wrong; BackendOptions::lockstep is one.
std::unique_ptr<ModelBackend> open_model(const BackendOptions& options, const Options& model = {});

}  // namespace systole::model
