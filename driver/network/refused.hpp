// SPDX-License-Identifier: Apache-2.0
// What keeps an operator from the device.
#pragma once

#include <string>
#include <utility>

namespace systole::network {

/// Thrown within the lowering; the reason is what the report of a run says of an operator on the host.
class Refused {
 public:
  explicit Refused(std::string reason) : reason_(std::move(reason)) {}
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// Throws Refused unless it holds.
inline void require(bool holds, const char* reason) {
  if (!holds) {
    throw Refused(reason);
  }
}

}  // namespace systole::network
