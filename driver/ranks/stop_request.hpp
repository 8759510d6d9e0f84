// SPDX-License-Identifier: Apache-2.0
// Work that has something to finish or to remove before it ends, and is told to stop: by Ctrl-C (SIGINT), by SIGTERM,
// or by SIGHUP, when its terminal is closed.
#pragma once

#include <array>
#include <csignal>
#include <stdexcept>

#include "ranks.hpp"

namespace systole::ranks {

inline constexpr std::array<int, 3> kStopSignals = {SIGINT, SIGTERM, SIGHUP};

/// The exit code that shells give to a process which the signal ends.
constexpr int exit_code_of(int signal) { return 128 + signal; }

/// The work was told to stop, and did.
class Stopped : public std::runtime_error {
 public:
  explicit Stopped(int signal);
  int exit_code() const { return exit_code_of(signal_); }

 private:
  int signal_;
};

/// While an object exists, the first signal only asks for the end of the work, and a second one ends the process. There
/// is one object at a time, made while the process has no threads of its own.
class StopRequest {
 public:
  explicit StopRequest(Ranks& ranks) : ranks_(ranks) { ranks_.finish_when_stopped(true); }
  ~StopRequest() { ranks_.finish_when_stopped(false); }
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  /// The signal that this process has got; 0 without one.
  int signal() const { return ranks_.stop_signal(); }
  /// Throws Stopped if there is one.
  void check() const;

 private:
  Ranks& ranks_;
};

}  // namespace systole::ranks
