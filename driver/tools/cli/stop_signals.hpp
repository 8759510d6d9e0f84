// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and the signals that end a process, for work that has something to finish or to remove first.
#pragma once

#include <csignal>
#include <map>
#include <stdexcept>

namespace systole::cli {

/// The process was asked to stop, and did; the exit code is 128 + signal, as shells have it.
class Stopped : public std::runtime_error {
 public:
  explicit Stopped(int signal);
  int exit_code() const { return 128 + signal_; }

 private:
  int signal_;
};

/// While an object exists, the first SIGINT, SIGTERM or SIGHUP is remembered. A second one of the same kind ends the
/// process at once. Not for ranks of a launch, whose SIGTERM has a thread of its own (driver/ranks).
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal that has come since the object was made; 0 if there was none.
  int received() const;

 private:
  std::map<int, struct sigaction> before_;
};

}  // namespace systole::cli
