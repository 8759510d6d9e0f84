// SPDX-License-Identifier: Apache-2.0
// Reference model of the counters, updated cycle by cycle as simply as possible.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "systole/generated/isa.hpp"

namespace systole::test {

class ExpectedCounters {
 public:
  struct Engine {
    isa::Cause cause = isa::Cause::kIdle;
    unsigned semaphore = 0;  ///< the semaphore that a wait is attributed to
  };
  /// A cycle of the simulation. `weight` cycles are counted for it: 0 while nothing runs, 3 for the first of a run.
  struct Cycle {
    unsigned weight = 0;
    std::array<Engine, 4> engines;
    bool padded = false;
  };

  explicit ExpectedCounters(std::uint64_t begin = 0) : begin_(begin) {}

  /// Adds the next cycle; the first is the one given to the constructor.
  void add(const Cycle& cycle) { history_.push_back(cycle); }
  /// Counts from cycle `from` on.
  void clear(std::uint64_t from) { first_ = static_cast<std::size_t>(from - begin_); }

  // Each up to, and without, cycle `end`.
  std::uint32_t cause(std::size_t engine, isa::Cause cause, std::uint64_t end) const {
    return sum(end, [&](const Cycle& c) { return c.engines[engine].cause == cause; });
  }
  /// Of the cycles with the cause SEMAPHORE those charged to the semaphore.
  std::uint32_t wait(std::size_t engine, unsigned semaphore, std::uint64_t end) const {
    return sum(end, [&](const Cycle& c) {
      return c.engines[engine].cause == isa::Cause::kSemaphore && c.engines[engine].semaphore == semaphore;
    });
  }
  std::uint32_t cycles(std::uint64_t end) const {
    return sum(end, [](const Cycle&) { return true; });
  }
  /// Vectors of padding, one cycle later: they are counted without a delay.
  std::uint32_t padded(std::uint64_t end) const {
    std::uint32_t total = 0;
    for (std::size_t i = first_ == 0 ? 0 : first_ + 1; i < end - begin_ && i < history_.size(); ++i)
      total += history_[i].padded ? 1 : 0;
    return total;
  }

 private:
  template <class Holds>
  std::uint32_t sum(std::uint64_t end, Holds holds) const {
    std::uint32_t total = 0;
    for (std::size_t i = first_; i < end - begin_ && i < history_.size(); ++i)
      total += holds(history_[i]) ? history_[i].weight : 0;
    return total;
  }

  std::uint64_t begin_;
  std::vector<Cycle> history_;
  std::size_t first_ = 0;
};

}  // namespace systole::test
