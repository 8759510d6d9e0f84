// SPDX-License-Identifier: Apache-2.0
// Pending responses and the choice of the next one: in request order, or at random between the two identifiers
// (responses of one identifier stay in order).
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "random.hpp"

namespace systole::sim {

template <class Answer>  // needs a member `ready`: the earliest edge at which it may be on the bus
class ResponseQueue {
 public:
  explicit ResponseQueue(bool random) : random_(random) {}

  void push(unsigned id, const Answer& answer) { queues_[random_ ? id & 1 : 0].push_back(answer); }
  /// Calls use(answer) for each, oldest first within an identifier.
  template <class Use>
  void for_each(Use use) const {
    for (const auto& queue : queues_) {
      for (const Answer& answer : queue) use(answer);
    }
  }
  bool empty() const { return queues_[0].empty() && queues_[1].empty(); }

  /// The response for edge `now`, or nullptr while it is not due. The choice is kept until pop(): a response chosen
  /// before it is due holds back the other identifier, so that a later request is answered first.
  Answer* select(std::uint64_t now, Random& random) {
    if (chosen_ < 0) {
      if (empty()) return nullptr;
      chosen_ = queues_[0].empty() ? 1 : queues_[1].empty() ? 0 : static_cast<int>(random.next() & 1);
    }
    Answer& answer = queues_[chosen_].front();
    return now >= answer.ready ? &answer : nullptr;
  }
  void pop() {
    queues_[chosen_].pop_front();
    chosen_ = -1;
  }

 private:
  bool random_;
  int chosen_ = -1;
  std::array<std::deque<Answer>, 2> queues_;
};

}  // namespace systole::sim
