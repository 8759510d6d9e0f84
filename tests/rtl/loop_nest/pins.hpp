// SPDX-License-Identifier: Apache-2.0
// Bit ranges of Verilated pins, whether Verilator uses an integer or a word array for them.
#pragma once

#include <verilated.h>

#include <cstdint>
#include <type_traits>

namespace systole::test {

/// Reads bits [lsb, lsb+width) of a pin, width at most 32.
template <typename Pin>
std::uint32_t get_bits(const Pin& pin, int lsb, int width) {
  const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  if constexpr (std::is_integral_v<Pin>) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(pin) >> lsb) & mask;
  } else {
    std::uint64_t bits = pin[lsb / 32];
    if (lsb % 32 + width > 32) bits |= static_cast<std::uint64_t>(pin[lsb / 32 + 1]) << 32;
    return static_cast<std::uint32_t>(bits >> (lsb % 32)) & mask;
  }
}

/// Writes bits [lsb, lsb+width) of a pin, width at most 32.
template <typename Pin>
void set_bits(Pin& pin, int lsb, int width, std::uint32_t value) {
  const std::uint64_t mask = width == 32 ? ~0u : (1u << width) - 1;
  if constexpr (std::is_integral_v<Pin>) {
    const std::uint64_t old = static_cast<std::uint64_t>(pin) & ~(mask << lsb);
    pin = static_cast<Pin>(old | (value & mask) << lsb);
  } else {
    for (int b = 0; b < width;) {
      const int at = lsb + b;
      const int part = 32 - at % 32 < width - b ? 32 - at % 32 : width - b;
      const std::uint32_t part_mask = part == 32 ? ~0u : (1u << part) - 1;
      auto& word = pin[at / 32];
      word = (word & ~(part_mask << (at % 32))) | ((value >> b) & part_mask) << (at % 32);
      b += part;
    }
  }
}

}  // namespace systole::test
