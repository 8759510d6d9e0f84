// SPDX-License-Identifier: Apache-2.0
// How fast device memory answers: what a device has, and what the compiler schedules for.
#pragma once

namespace systole {

struct MemoryTiming {
  unsigned read_latency = 100;   ///< cycles from an accepted read address to its first beat
  unsigned write_latency = 100;  ///< cycles from the last write beat to its response
  unsigned read_interval = 1;    ///< cycles per read beat (bandwidth)
  unsigned write_interval = 1;   ///< cycles per write beat
};

}  // namespace systole
