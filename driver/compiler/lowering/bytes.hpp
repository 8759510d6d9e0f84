// SPDX-License-Identifier: Apache-2.0
// Elements of 8 bits as the device has them: int8, and uint8 as int8 that is 128 less, which is the same bits but for
// the sign.
#pragma once

#include <cstdint>

#include "type_checks.hpp"

namespace systole::network {

/// What an element is toggled with on its way to the device, and back.
inline std::uint8_t toggle_of(graph::ElementType type) { return type == graph::ElementType::kUint8 ? 0x80 : 0; }

/// Toggles all of them; other types are left alone.
inline void toggle(graph::ElementType type, graph::Bytes& bytes) {
  if (const std::uint8_t bits = toggle_of(type); bits != 0) {
    for (std::uint8_t& byte : bytes) {
      byte ^= bits;
    }
  }
}

}  // namespace systole::network
