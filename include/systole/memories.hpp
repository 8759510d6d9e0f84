// SPDX-License-Identifier: Apache-2.0
// The memories that instructions read and write.
#pragma once

#include <cstdint>

namespace systole {

enum class Memory : std::uint8_t { kScratchpad, kWeights, kParameters, kAccumulators, kKernels, kDevice };

constexpr const char* to_string(Memory memory) {
  switch (memory) {
    case Memory::kScratchpad: return "scratchpad";
    case Memory::kWeights: return "weight";
    case Memory::kParameters: return "parameter";
    case Memory::kAccumulators: return "accumulator";
    case Memory::kKernels: return "kernel";
    case Memory::kDevice: return "device memory";
  }
  return "?";
}

}  // namespace systole
