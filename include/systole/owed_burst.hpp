// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace systole {

/// A burst that device memory has taken from the core and not answered, or not wholly.
struct OwedBurst {
  bool write = false;
  std::uint64_t address = 0;  ///< of the first beat that is owed
  unsigned beats = 0;         ///< owed; of a write, those of the burst whose data have not come
  unsigned id = 0;            ///< reads: 0 instruction fetch, 1 LOAD
};

}  // namespace systole
