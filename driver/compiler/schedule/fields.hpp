// SPDX-License-Identifier: Apache-2.0
// Values for fields of instructions, which are narrower than what the compiler computes with.
#pragma once

#include <fmt/core.h>

#include <cstdint>
#include <stdexcept>

namespace systole::compiler {

/// A value for a field of 16 bits. Throws std::invalid_argument, for which an operator runs on the host, if it has more
/// than 16 bits. Negative values wrap around: they are first rows of tensors whose first blocks are not there, from
/// which those that are there are further().
inline std::uint16_t u16(std::int64_t value) {
  constexpr std::int64_t kMost = 0xFFFF;
  if (value < -kMost || value > kMost) {
    throw std::invalid_argument(fmt::format("{} in a field of an instruction, which has at most {}", value, kMost));
  }
  return static_cast<std::uint16_t>(value);
}

/// The row so many rows behind another one, which may have wrapped around.
inline std::uint16_t further(std::uint16_t row, std::int64_t rows) { return static_cast<std::uint16_t>(row + rows); }

}  // namespace systole::compiler
