// SPDX-License-Identifier: Apache-2.0
// What happens when the process is told to stop, by SIGINT (Ctrl-C) or SIGTERM. A launcher stops the other ranks
// (SIGTERM) when one of them has ended.
#pragma once

#include <atomic>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>

namespace systole::ranks {

/// While an object exists, SIGINT ends the process with exit code 130 and SIGTERM with 143, after the text has been
/// written to standard error. Threads that were started before it must not exist.
class StopNotice {
 public:
  StopNotice();
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

  /// Empty: nothing is written.
  void say(const std::string& text);
  /// From now on the first signal does not end the process; it is for the caller to do so soon. The second does.
  void let_finish() { lets_finish_ = true; }
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
