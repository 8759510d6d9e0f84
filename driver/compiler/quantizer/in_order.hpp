// SPDX-License-Identifier: Apache-2.0
// Parallel work whose results are consumed in order, so that they are the same on every machine.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "parallel.hpp"

namespace systole::quantizer {

/// Calls take(i, make(i)) for i = 0 .. count - 1, in this order and never concurrently; make() runs on as many threads
/// as the machine has cores, each of which holds at most one result. If a call throws, started ones finish, and the
/// exception of the lowest i is thrown.
template <class Make, class Take>
void in_order(std::size_t count, const Make& make, const Take& take) {
  std::mutex mutex;
  std::condition_variable turn;
  std::size_t next_made = 0, next_taken = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    const golden::InParallel guard;
    std::unique_lock lock(mutex);
    while (next_made < count && !failure) {
      const std::size_t i = next_made++;
      lock.unlock();
      std::exception_ptr mine;
      const auto made = [&]() -> decltype(make(i)) {
        try {
          return make(i);
        } catch (...) {
          mine = std::current_exception();
          return {};
        }
      };
      auto result = made();
      lock.lock();
      turn.wait(lock, [&] { return next_taken == i; });
      if (!failure && !mine) {
        try {
          take(i, std::move(result));
        } catch (...) {
          mine = std::current_exception();
        }
      }
      failure = failure ? failure : mine;
      ++next_taken;
      turn.notify_all();
    }
  };
  const std::size_t most = std::min(count, golden::MostThreads::here());
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < most; ++i) {
      threads.emplace_back(work);
    }
    work();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace systole::quantizer
