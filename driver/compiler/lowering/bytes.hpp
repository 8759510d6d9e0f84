// SPDX-License-Identifier: Apache-2.0
// 8-bit elements as the device stores them: int8. uint8 is stored as the int8 that is 128 less, which inverts the sign
// bit only.
#pragma once

#include <cstdint>

#include "type_checks.hpp"

namespace systole::network {

/// The XOR mask that converts an element to the device's format, and back.
inline std::uint8_t toggle_of(graph::ElementType type) { return type == graph::ElementType::kUint8 ? 0x80 : 0; }

/// Converts all elements; other types are left alone.
inline void toggle(graph::ElementType type, graph::Bytes& bytes) {
  if (const std::uint8_t bits = toggle_of(type); bits != 0) {
    for (std::uint8_t& byte : bytes) {
      byte ^= bits;
    }
  }
}

}  // namespace systole::network
