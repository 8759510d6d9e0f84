// SPDX-License-Identifier: Apache-2.0
// A training that is told to stop (stop_request.hpp): all ranks stop after the same step.
#pragma once

#include <string>

#include "stop_request.hpp"
#include "trainer.hpp"

namespace systole::cli {

/// A StopRequest of all ranks of a training, and the texts about it.
class TrainStop {
 public:
  /// Called before the process starts threads of its own.
  explicit TrainStop(ranks::Ranks& ranks);

  /// Sets the text of the first signal: one process tells that it finishes; several tell what is `left` if another rank
  /// has ended, for they may be unable to finish.
  void tell(const std::string& left) const;

  /// After a step, by all ranks: all stop after the same step if any of them was told to.
  void ask();
  bool stopped() const { return signal_ != 0; }
  /// Throws ranks::Stopped where one process was told to stop, between the batches of a validation, which may be many.
  /// Ranks do not stop then, since the others would wait for their results.
  void check_alone() const;

  /// The name of the signal, such as "SIGINT".
  std::string name() const;
  int exit_code() const { return ranks::exit_code_of(signal_); }
  /// Says where the training has stopped, or that it had not begun.
  void report(const training::State& state, const training::EpochSize& size, const std::string& left) const;
  void report_before_first_step() const;

 private:
  ranks::Ranks& ranks_;
  ranks::StopRequest request_;
  int signal_ = 0;
};

}  // namespace systole::cli
