// SPDX-License-Identifier: Apache-2.0
#include "meeting.hpp"

#include <utility>

#include "systole/errors.hpp"

namespace systole::pjrt {

std::vector<std::vector<SharedValue>> Meeting::exchange(std::size_t own, std::vector<SharedValue> values) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::size_t number = arrived_.at(own)++;
  Exchange& exchange = open_[number];
  exchange.values.resize(arrived_.size());
  exchange.values[own] = std::move(values);
  ++exchange.here;
  changed_.notify_all();
  changed_.wait(lock, [&] { return left_ || exchange.here == arrived_.size(); });
  if (exchange.here != arrived_.size()) {
    throw Failure(
        "systole: another device of the call has failed, or has ended without this exchange: a program must not "
        "exchange values in a branch that only some devices take");
  }
  auto all = exchange.values;
  if (++exchange.taken == arrived_.size()) {
    open_.erase(number);
  }
  return all;
}

void Meeting::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  left_ = true;
  changed_.notify_all();
}

}  // namespace systole::pjrt
