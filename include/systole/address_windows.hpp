// SPDX-License-Identifier: Apache-2.0
// The ranges of device memory that a program may touch, as the window registers hold them.
#pragma once

#include <array>
#include <cstdint>

#include "systole/generated/isa.hpp"

namespace systole {

/// Address windows begin and end at multiples of this many bytes. The lower bits of their registers do not exist.
inline constexpr std::uint32_t kWindowAlignment = 64;

/// An address window. Instructions access device memory through windows only.
struct AddressWindow {
  std::uint32_t base = 0;
  std::uint32_t size = 0;
  std::uint32_t permission = 0;  ///< a combination of the bits isa::kPermission...
};

using AddressWindows = std::array<AddressWindow, isa::kWindows>;

/// True when [offset, offset + bytes) lies in the window, the permission is granted, and the window ends within 2^32.
constexpr bool allows(const AddressWindow& window, std::uint32_t permission, std::uint32_t offset,
                      std::uint64_t bytes) {
  return offset + bytes <= window.size && (window.permission & permission) != 0 &&
         std::uint64_t{window.base} + window.size <= std::uint64_t{1} << 32;
}

}  // namespace systole
