// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace systole {

/// A burst that device memory has accepted from the core and not completed.
struct OwedBurst {
  bool write = false;
  std::uint64_t address = 0;  ///< address of the first outstanding beat
  unsigned beats = 0;         ///< number of outstanding beats; for a write, those whose data has not arrived
  unsigned id = 0;            ///< reads: 0 for the instruction fetch, 1 for LOAD
};

}  // namespace systole
