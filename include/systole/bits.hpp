// SPDX-License-Identifier: Apache-2.0
// The 512-bit instruction word and accessors for its fields. They shift and mask, because the layout of C++ bit-fields
// depends on the compiler.
#pragma once

#include <fmt/core.h>

#include <array>
#include <cstdint>

#include "systole/errors.hpp"

namespace systole::isa {

/// 64 bytes as sixteen little-endian words: bit b of the instruction is bit b % 32 of word b / 32.
struct Instruction {
  std::array<std::uint32_t, 16> words{};

  friend bool operator==(const Instruction& a, const Instruction& b) { return a.words == b.words; }
  friend bool operator!=(const Instruction& a, const Instruction& b) { return !(a == b); }
};

/// Returns the bits [lsb, lsb + width), with width 1 to 32. A field never crosses a word boundary.
constexpr std::uint32_t get(const Instruction& i, int lsb, int width) {
  const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  return i.words[static_cast<std::size_t>(lsb / 32)] >> (lsb % 32) & mask;
}

/// As get(), sign-extended.
constexpr std::int32_t get_signed(const Instruction& i, int lsb, int width) {
  return static_cast<std::int32_t>(get(i, lsb, width) << (32 - width)) >> (32 - width);
}

/// Writes a field. Throws OutOfRange when the value does not fit.
inline void put(Instruction& i, int lsb, int width, std::uint32_t value) {
  const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  if (value & ~mask) {
    throw OutOfRange(fmt::format("instruction bits {}:{}: value {} exceeds {}", lsb + width - 1, lsb, value, mask));
  }
  auto& word = i.words[static_cast<std::size_t>(lsb / 32)];
  word = (word & ~(mask << (lsb % 32))) | value << (lsb % 32);
}

/// As put() for a two's complement field.
inline void put_signed(Instruction& i, int lsb, int width, std::int32_t value) {
  const std::uint32_t mask = width == 32 ? ~0u : (1u << width) - 1;
  if (value != static_cast<std::int32_t>(static_cast<std::uint32_t>(value) << (32 - width)) >> (32 - width)) {
    throw OutOfRange(
        fmt::format("instruction bits {}:{}: value {} does not fit {} bits", lsb + width - 1, lsb, value, width));
  }
  put(i, lsb, width, static_cast<std::uint32_t>(value) & mask);
}

}  // namespace systole::isa
