// SPDX-License-Identifier: Apache-2.0
// Layers of devices in the form of jax.profiler: an XSpace, a message of protobuf.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systole::pjrt {

/// A layer that a device computed.
struct ProfiledLayer {
  int device = 0;
  std::string name;
  std::int64_t begin_ns = 0;  ///< since 1970
  std::uint64_t cycles = 0, macs = 0;
};

/// A plane for each device, with a line of its layers. Their durations are cycles, each a nanosecond. Empty without
/// layers.
std::string profile_space(const std::vector<ProfiledLayer>& layers);

}  // namespace systole::pjrt
