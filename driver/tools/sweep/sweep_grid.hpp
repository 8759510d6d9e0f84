// SPDX-License-Identifier: Apache-2.0
// The points of a design-space sweep: every combination of the listed values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/memory_timing.hpp"

namespace systole::cli {

/// Timing of the device memory, as the options of the same names.
struct SweptMemory {
  int latency = static_cast<int>(systole::MemoryTiming{}.read_latency);
  int read_interval = 1;
  int write_interval = 1;
  int stall = 0;
  bool operator==(const SweptMemory& o) const {
    return latency == o.latency && read_interval == o.read_interval && write_interval == o.write_interval &&
           stall == o.stall;
  }
};

/// A core and its memory timing.
struct DesignPoint {
  std::string core;       ///< name of the configuration
  Configuration sizes{};  ///< its name is empty; see `core`
  SweptMemory timing;
};

/// One "name=value,..." of a grid.
struct Axis {
  std::string name;
  std::vector<std::string> values;
};

/// Throws InputError for an invalid axis, an unknown name or a repeated one.
std::vector<Axis> parse_grid(const std::vector<std::string>& words);

/// All combinations, the last axis fastest; parameters without an axis are those of `base`. Throws InputError, naming
/// parameter, value and legal range, for a point that cannot be built or simulated.
std::vector<DesignPoint> expand(const std::vector<Axis>& axes, const Configuration& base);

/// The parameters of a grid with their legal values, a line each.
std::string grid_help();

/// Total size of the on-chip memories in bytes.
std::uint64_t memory_bytes(const Configuration& sizes);

}  // namespace systole::cli
