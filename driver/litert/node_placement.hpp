// SPDX-License-Identifier: Apache-2.0
// Which nodes of the interpreter's graph the device takes, and why it leaves the others.
#pragma once

#include <string>
#include <vector>

#include "litert_api.hpp"
#include "systole/device.hpp"

namespace systole::litert {

struct Placement {
  int node = 0;        ///< as the context counts it
  std::string type;    ///< "CONV_2D"
  std::string name;    ///< of its first result
  std::string reason;  ///< why LiteRT keeps it; empty if the device takes it
};

/// All nodes of the execution plan. A node is taken if the compiler runs all that it is made of on the device. Throws
/// what compile_network() throws.
std::vector<Placement> placements(Context& context, const Device& device);

}  // namespace systole::litert
