// SPDX-License-Identifier: Apache-2.0
// The test design axi_loopback with the core's interface, for each bus width, and its registers.
#pragma once

#include <memory>

#include "core_model.hpp"

namespace systole::sim::loopback {

inline constexpr std::uint32_t kIdentity = 0x000, kStatus = 0x024, kIrqStatus = 0x028, kIrqEnable = 0x02C,
                               kCommands = 0x060, kSource = 0x300, kDestination = 0x304, kBeats = 0x308, kBurst = 0x30C,
                               kMode = 0x310, kChecksum = 0x314, kGo = 0x318;
inline constexpr std::uint32_t kIdentityValue = 0x4C4F4F50;
enum Mode : std::uint32_t { kAssert = 1, kDrop = 2, kHang = 4, kWork = 8 };

/// `bytes` of the data bus: 4, 8, 16 or 32.
std::unique_ptr<CoreModel> make(int bytes, Storage& storage, const CoreOptions& options);

}  // namespace systole::sim::loopback
