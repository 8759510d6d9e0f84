// SPDX-License-Identifier: Apache-2.0
//
// Parallel loops over all cores of the machine. Parts must be independent, so that results do not depend on the number
// of cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace systole::golden {

// While an object exists, loops that its thread starts run on so many threads at most, and on one or more.
class MostThreads {
 public:
  explicit MostThreads(std::size_t most) : outer_(limit()) {
    limit() = std::min(outer_, std::max<std::size_t>(1, most));
  }
  ~MostThreads() { limit() = outer_; }
  MostThreads(const MostThreads&) = delete;
  MostThreads& operator=(const MostThreads&) = delete;
  // What a loop of this thread may use now.
  static std::size_t here() {
    return std::min<std::size_t>(limit(), std::max(1U, std::thread::hardware_concurrency()));
  }

 private:
  static std::size_t& limit() {
    thread_local std::size_t value = std::numeric_limits<std::size_t>::max();
    return value;
  }
  std::size_t outer_;
};

// While an object exists, its thread counts as part of a parallel loop: loops that it starts run on this thread alone.
class InParallel : MostThreads {
 public:
  InParallel() : MostThreads(1) {}
};

// Calls part(i) for i = 0 .. count - 1, in any order, on as many threads as the machine has cores. If parts throw,
// started ones finish, and one of the exceptions is thrown.
template <class Part>
void parallel_for(std::size_t count, const Part& part) {
  const std::size_t cores = MostThreads::here();
  const std::size_t threads = std::min(count, cores);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) part(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    const InParallel guard;
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        part(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < threads; ++i) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

// parallel_for() over 0 .. count - 1 in ranges large enough to be worth a thread: part(first, last). `cost` is the cost
// of one element, in multiply-accumulates or the like.
template <class Part>
void parallel_ranges(std::size_t count, std::size_t cost, const Part& part) {
  constexpr std::size_t kWorthAThread = std::size_t{1} << 20;
  const std::size_t length = std::max<std::size_t>(1, kWorthAThread / std::max<std::size_t>(1, cost));
  const std::size_t ranges = (count + length - 1) / length;
  parallel_for(ranges, [&](std::size_t i) { part(i * length, std::min(count, (i + 1) * length)); });
}

}  // namespace systole::golden
