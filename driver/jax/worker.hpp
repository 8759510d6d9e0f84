// SPDX-License-Identifier: Apache-2.0
// The thread that a device's work runs on, in the order in which it was given.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace systole::pjrt {

class Worker {
 public:
  Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  /// Waits for all work.
  ~Worker();

  /// Appends work, which must not throw.
  void add(std::function<void()> work);
  /// Puts work before all that waits, for results that are there already.
  void add_first(std::function<void()> work);

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool closed_ = false;
  std::thread thread_;  // begins when the other members exist
};

}  // namespace systole::pjrt
