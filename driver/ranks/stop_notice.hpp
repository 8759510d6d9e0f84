// SPDX-License-Identifier: Apache-2.0
// The end of a process by a signal (kStopSignals). A launcher stops the other ranks (SIGTERM) when one of them has
// ended.
#pragma once

#include <atomic>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>

namespace systole::ranks {

/// While an object exists, a signal ends the process with the exit code that shells have for it, after the text has
/// been written to standard error. A signal that the process ignores, as SIGHUP below nohup, stays ignored. Threads
/// that were started before the object must not exist.
class StopNotice {
 public:
  StopNotice();
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

  /// Empty: nothing is written.
  void say(const std::string& text);
  /// Whether the first signal leaves it to the caller to end the process soon; the second ends it.
  void let_finish(bool finish) { lets_finish_ = finish; }
  /// The first signal since then; 0 without one.
  int signal() const { return signal_; }

 private:
  void wait();

  sigset_t signals_{}, before_{};
  std::mutex mutex_;
  std::string text_;
  std::atomic<bool> lets_finish_{false};
  std::atomic<int> signal_{0};
  std::thread thread_;
};

}  // namespace systole::ranks
