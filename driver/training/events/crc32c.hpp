// SPDX-License-Identifier: Apache-2.0
// CRC-32C, Castagnoli's polynomial, as iSCSI has it (RFC 3720, B.4).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace systole::training {

inline std::uint32_t crc32c(std::string_view bytes) {
  static constexpr auto kTable = [] {
    constexpr std::uint32_t kReversed = 0x82F63B78;
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t i = 0; i < table.size(); ++i) {
      std::uint32_t rest = i;
      for (int bit = 0; bit < 8; ++bit) {
        rest = (rest & 1) != 0 ? rest >> 1 ^ kReversed : rest >> 1;
      }
      table[i] = rest;
    }
    return table;
  }();
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char byte : bytes) {
    crc = kTable[(crc ^ static_cast<std::uint8_t>(byte)) & 0xFF] ^ crc >> 8;
  }
  return ~crc;
}

}  // namespace systole::training
