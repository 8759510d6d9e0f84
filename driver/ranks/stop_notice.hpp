// SPDX-License-Identifier: Apache-2.0
// A last word when the process is stopped. A launcher stops the other ranks (SIGTERM) when one of them has ended.
#pragma once

#include <csignal>
#include <mutex>
#include <string>
#include <thread>

namespace systole::ranks {

/// While an object exists, SIGTERM ends the process with exit code 143 after the text has been written to standard
/// error. Threads that were started before it must not exist.
class StopNotice {
 public:
  StopNotice();
  ~StopNotice();
  StopNotice(const StopNotice&) = delete;
  StopNotice& operator=(const StopNotice&) = delete;

  /// Empty: nothing is written.
  void say(const std::string& text);

 private:
  void wait();

  sigset_t signals_{}, before_{};
  std::mutex mutex_;
  std::string text_;
  std::thread thread_;
};

}  // namespace systole::ranks
