// SPDX-License-Identifier: Apache-2.0
// Answers that wait for their time, and the choice of the next one: in the order of the requests, or at random between
// the two identifiers (those of one identifier stay in order).
#pragma once

#include <array>
#include <cstdint>
#include <deque>

#include "random.hpp"

namespace systole::sim {

template <class Answer>  // needs a member `ready`: the first edge at which it may be on the bus
class ResponseQueue {
 public:
  explicit ResponseQueue(bool random) : random_(random) {}

  void push(unsigned id, const Answer& answer) { queues_[random_ ? id & 1 : 0].push_back(answer); }
  /// Calls use(answer) for each, those of one identifier oldest first.
  template <class Use>
  void for_each(Use use) const {
    for (const auto& queue : queues_) {
      for (const Answer& answer : queue) use(answer);
    }
  }
  bool empty() const { return queues_[0].empty() && queues_[1].empty(); }

  /// The answer to give at edge `now`, or nullptr while it is not due. The choice stands until pop(): an answer chosen
  /// before its time holds back the other identifier, which is how a later request is answered first.
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
