// SPDX-License-Identifier: Apache-2.0
// Elements as the device stores them. Those of 8 bits are int8; uint8 is stored as the int8 that is 128 less, which
// inverts the sign bit only.
#pragma once

#include <cstdint>
#include <vector>

#include "systole/graph_value.hpp"

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

/// The elements of a value as the device stores them.
inline graph::Bytes stored(const graph::Value& value) {
  graph::Bytes bytes = value.data;
  toggle(value.type, bytes);
  return bytes;
}

/// Constants of 32 bits.
inline graph::Bytes bytes_of_words(const std::vector<std::int32_t>& words) {
  graph::Bytes bytes;
  for (const std::int32_t word : words) {
    for (int bit = 0; bit < 32; bit += 8) {
      bytes.push_back(static_cast<std::uint8_t>(static_cast<std::uint32_t>(word) >> bit));
    }
  }
  return bytes;
}

}  // namespace systole::network
