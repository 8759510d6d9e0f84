// SPDX-License-Identifier: Apache-2.0
// A number that tells data from others: FNV-1a of all their bytes.
#pragma once

#include <cstdint>

namespace systole::training {

class Digest {
 public:
  template <class Bytes>
  void add(const Bytes& bytes) {
    for (const auto byte : bytes) {
      value_ = (value_ ^ static_cast<std::uint8_t>(byte)) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace systole::training
