// SPDX-License-Identifier: Apache-2.0
// The end of a training by SIGINT (Ctrl-C) or SIGTERM.
#pragma once

#include <string>

#include "ranks.hpp"
#include "trainer.hpp"

namespace systole::cli {

/// While an object exists, the first signal only asks for the end of the training; the second ends the process.
class TrainStop {
 public:
  /// Called before the process starts threads of its own.
  explicit TrainStop(ranks::Ranks& ranks);

  /// What is said at the first signal: of one process that it finishes, of several what is `left` if another rank has
  /// ended, for they may be unable to finish.
  void tell(const std::string& left) const;

  /// After a step, by all ranks: all stop after the same step if any of them was told to.
  void ask();
  bool stopped() const { return signal_ != 0; }
  /// Runs graphs as `run` does, but throws Stopped instead of `graph` where one process was told to stop: a validation
  /// has many batches. Ranks do not stop then, since the others would wait for their results.
  training::Runner stopping(training::Runner run, const graph::Graph& graph) const;
  class Stopped {};

  /// "SIGINT" or "SIGTERM".
  const char* name() const;
  /// The one that shells give to a process which the signal ends.
  int exit_code() const;
  /// Says where the training has stopped, or that it had not begun.
  void report(const training::State& state, const training::EpochSize& size, const std::string& left) const;
  void report_before_first_step() const;

 private:
  ranks::Ranks& ranks_;
  int signal_ = 0;
};

}  // namespace systole::cli
