// SPDX-License-Identifier: Apache-2.0
// The kernels that random programs run: as many random ones as the kernel memory holds, first of all those that use
// micro-instructions in ways that the others do not.
#pragma once

#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/generated/isa.hpp"
#include "systole/known_memory.hpp"

namespace systole::programs {

struct KernelSet {
  KnownMemory known;                ///< the whole kernel memory
  std::vector<isa::Vector> starts;  ///< a VECTOR for each kernel, all rows inside their memories
  isa::Vector fill;                 ///< fills the vector registers from the first rows of the scratchpad
};

/// The kernels of a configuration, the same in all tests of a run; none without a vector processor. Session::fill()
/// loads them.
const KernelSet& kernels_of(const Configuration& configuration);

}  // namespace systole::programs
