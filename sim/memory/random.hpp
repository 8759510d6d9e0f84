// SPDX-License-Identifier: Apache-2.0
// Small random number generator for stalls and response order: a few instructions per number, the same sequence on
// every machine.
#pragma once

#include <cstdint>

namespace systole::sim {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_((seed + 1) * 0x9E3779B97F4A7C15u | 1) {}
  /// Next 32 bits (xorshift64*).
  std::uint32_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1Du) >> 32);
  }
  bool chance(unsigned percent) { return next() % 100 < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace systole::sim
