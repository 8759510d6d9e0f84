// SPDX-License-Identifier: Apache-2.0
// Address windows as a port of type tpu_window_pkg::windows_t.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#include "systole/generated/isa.hpp"

namespace systole::test {

using WindowValues = std::array<std::uint32_t, isa::kWindows>;

template <typename Port>
void set_windows(Port& port, const WindowValues& base, const WindowValues& size, const WindowValues& permission) {
  constexpr unsigned kBits = 3 + 26 + 26;
  std::array<std::uint32_t, sizeof(Port) / 4> words{};
  const auto put = [&](unsigned at, unsigned width, std::uint32_t value) {
    for (unsigned i = 0; i < width; ++i) words[(at + i) / 32] |= (value >> i & 1) << (at + i) % 32;
  };
  for (unsigned w = 0; w < isa::kWindows; ++w) {
    put(kBits * w, 26, base[w] >> 6);
    put(kBits * w + 26, 26, size[w] >> 6);
    put(kBits * w + 52, 3, permission[w]);
  }
  std::memcpy(&port, words.data(), sizeof words);
}

}  // namespace systole::test
