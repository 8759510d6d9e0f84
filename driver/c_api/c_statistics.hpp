// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "systole/device.hpp"
#include "systole/systole.h"

namespace systole::c_api {

inline systole_statistics to_c(const RunStats& stats, std::int64_t predicted_cycles, int dim) {
  return {stats.cycles,     predicted_cycles,  stats.useful_macs,      stats.commands,
          stats.read_beats, stats.write_beats, stats.utilization(dim), stats.nonfinite ? 1 : 0};
}

}  // namespace systole::c_api
