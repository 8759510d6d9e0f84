// SPDX-License-Identifier: Apache-2.0
// The functional model as a device, with the checkers that need its execution.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "model_machine.hpp"
#include "systole/backend.hpp"
#include "systole/errors.hpp"

namespace systole::model {

/// Options apart from the computation.
struct Options {
  bool check_legality = false;  ///< check each program after its END (systole/legality.hpp)
  bool check_races = false;     ///< the same for races (systole/races.hpp)
  bool fast_paths = true;       ///< false: execute every operation as in the reference pages
};

/// A program rejected by a checker; the message names the commands. Thrown by the register write that ran the program.
class CheckFailure : public Failure {
 public:
  using Failure::Failure;
};

/// The registers of the hardware, but without time: the counters (CYCLES, CAUSE_COUNT, SEMAPHORE_WAIT, PADDED_VECTORS,
/// READ_BEATS, WRITE_BEATS) and simulated_cycles() read zero, a doorbell runs the program before the write returns,
/// copies are immediate. A program that blocks leaves the interrupt low; STATUS and WAITING_SEMAPHORES show the wait.
class ModelBackend : public Backend {
 public:
  virtual Machine& machine() = 0;
  /// Describes the error or the blocking wait; empty if there is none.
  virtual std::string explain() const = 0;
};

/// Throws InvalidArgument naming the invalid option; BackendOptions::lockstep is invalid here.
std::unique_ptr<ModelBackend> open_model(const BackendOptions& options, const Options& model = {});

}  // namespace systole::model
