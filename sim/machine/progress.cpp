// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include "systole/generated/registers.hpp"

namespace systole::sim {

Progress::Progress(const CoreModel& core, HostCpu& cpu)
    : core_(core), cpu_(cpu), traffic_(core.traffic()), counters_(read_counters()) {}

bool Progress::bus_moved() {
  const bool moved = core_.traffic() != traffic_;
  traffic_ = core_.traffic();
  return moved;
}

bool Progress::engines_moved() {
  const Counters now = read_counters();
  const bool moved = now != counters_;
  counters_ = now;
  return moved;
}

Progress::Counters Progress::read_counters() {
  Counters counters{};  // one that cannot be read counts as standing still
  constexpr std::uint32_t kCauses = reg::kCauseCountCount / kEngines;  // WORKING is the first cause of each engine
  for (std::uint32_t engine = 0; engine < kEngines; ++engine) {
    cpu_.read(reg::kCauseCount + engine * kCauses * reg::kCauseCountStride, counters[engine]);
  }
  cpu_.read(reg::kCommands, counters[kEngines]);
  cpu_.read(reg::kHead, counters[kEngines + 1]);
  return counters;
}

}  // namespace systole::sim
