// SPDX-License-Identifier: Apache-2.0
// Allocates device memory for the intermediate tensors that are not kept in the scratchpad; tensors with disjoint live
// ranges share bytes.
#pragma once

#include <cstdint>
#include <map>

#include "liveness.hpp"

namespace systole::network {

struct MemoryPlan {
  /// A tensor to be allocated.
  struct Need {
    std::uint64_t bytes = 0;
    LiveRange live;
  };

  std::map<graph::TensorId, std::uint64_t> offsets;  ///< in bytes, multiples of kBufferAlignment
  std::uint64_t bytes = 0;                           ///< total size
};

/// Largest first, each at the lowest offset that is free during its live range: "greedy by size" in Pisarchyk and Lee,
/// "Efficient Memory Management for Deep Neural Net Inference", who find it close to the optimum for the live ranges of
/// typical networks.
MemoryPlan plan_memory(const std::map<graph::TensorId, MemoryPlan::Need>& needs);

}  // namespace systole::network
