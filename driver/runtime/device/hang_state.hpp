// SPDX-License-Identifier: Apache-2.0
// Reads the registers of a hanging device.
#pragma once

#include <cstdint>

#include "systole/backend.hpp"
#include "systole/hang.hpp"

namespace systole {

/// `first` is the command index, since reset, of the running program's first instruction. Call it before a reset.
HangState read_hang_state(Backend& backend, std::uint32_t first, std::uint64_t quiet_cycles);

}  // namespace systole
