// SPDX-License-Identifier: Apache-2.0
// Values for fields of instructions, which are narrower than what the compiler computes with.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>

namespace systole::compiler {

/// A value for a field of 16 bits. Throws std::invalid_argument, for which an operator runs on the host, if it is not
/// 0 .. 65535.
inline std::uint16_t u16(std::int64_t value) {
  constexpr std::int64_t kMost = 0xFFFF;
  if (value < 0 || value > kMost) {
    throw std::invalid_argument(fmt::format("{} in a field of an instruction, whose range is 0 .. {}", value, kMost));
  }
  return static_cast<std::uint16_t>(value);
}

}  // namespace systole::compiler
