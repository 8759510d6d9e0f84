// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include "systole/errors.hpp"
#include "systole/program.hpp"

namespace systole {

AddressWindows Program::windows() const {
  const std::array<std::uint64_t, 3> sizes = {binding_bytes, constant_bytes, scratch_bytes};
  const std::array<const Buffer*, 3> buffers = {bindings_.get(), &constants_, &scratch_};
  constexpr std::uint32_t kBoth = isa::kPermissionRead | isa::kPermissionWrite;
  constexpr std::array<std::uint32_t, 3> kPermissions = {kBoth, isa::kPermissionRead, kBoth};
  AddressWindows windows{};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const UnplacedRange& range = kUnplacedRanges[i];
    if (sizes[i] > range.end - range.begin) {
      throw InvalidArgument(fmt::format("program: {} bytes of {}; the limit is {}: split the program", sizes[i],
                                        range.name, range.end - range.begin));
    }
    const std::uint64_t address = placed_ ? buffers[i]->address() : range.begin;
    const std::uint64_t bytes = placed_ ? buffers[i]->bytes() : sizes[i];  // bindings may be in a larger range
    const std::uint64_t size = (bytes + kWindowAlignment - 1) / kWindowAlignment * kWindowAlignment;
    windows[i] = {static_cast<std::uint32_t>(address), static_cast<std::uint32_t>(size),
                  size == 0 ? 0 : kPermissions[i]};
  }
  return windows;
}

}  // namespace systole
