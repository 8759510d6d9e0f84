// SPDX-License-Identifier: Apache-2.0
// Where the tensors that leave the scratchpad between two layers lie in device memory: those that do not exist at the
// same time share bytes.
#pragma once

#include <cstdint>
#include <map>

#include "liveness.hpp"

namespace systole::network {

struct MemoryPlan {
  /// A tensor that needs a place.
  struct Need {
    std::uint64_t bytes = 0;
    Life life;
  };

  std::map<graph::TensorId, std::uint64_t> offsets;  ///< in bytes, multiples of kBufferAlignment
  std::uint64_t bytes = 0;                           ///< of all together
};

/// The largest first, each at the lowest place that is free while it exists: "greedy by size" in Pisarchyk and Lee,
/// "Efficient Memory Management for Deep Neural Net Inference", who find it close to the least possible for the lives
/// that networks have.
MemoryPlan plan_memory(const std::map<graph::TensorId, MemoryPlan::Need>& needs);

}  // namespace systole::network
