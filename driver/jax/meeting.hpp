// SPDX-License-Identifier: Apache-2.0
// Where the devices of a call exchange values.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "systole/graph_value.hpp"

namespace systole::pjrt {

using SharedValue = std::shared_ptr<const graph::Value>;

/// All devices of a call come to its exchanges in the same order. Thread-safe.
class Meeting {
 public:
  explicit Meeting(std::size_t devices) : arrived_(devices) {}

  /// Waits for the values of all devices at the next exchange of device `own`, and returns them by device. Throws
  /// Failure if another device does not come.
  std::vector<std::vector<SharedValue>> exchange(std::size_t own, std::vector<SharedValue> values);

  /// The device comes to no other exchange. Devices that would wait for it fail.
  void leave();

 private:
  struct Exchange {
    std::vector<std::vector<SharedValue>> values;
    std::size_t here = 0, taken = 0;
  };

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::size_t> arrived_;  ///< exchanges that each device has come to
  std::map<std::size_t, Exchange> open_;
  bool left_ = false;
};

}  // namespace systole::pjrt
