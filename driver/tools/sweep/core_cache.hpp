// SPDX-License-Identifier: Apache-2.0
// Cores that this build does not have, built on demand, and what they cost in cells. All of it lives in a folder that
// is kept: what has been built once is only checked against its sources again.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "status_line.hpp"
#include "sweep_grid.hpp"

namespace systole::cli {

/// Throws InputError unless the folder has what cores are built from: a program may be installed, and its sources gone.
void demand_sources(const std::string& folder);

class CoreCache {
 public:
  /// Makes the folder (build/sweep beside the sources when none is named) and keeps other sweeps out of it while the
  /// object lives. Builds run `jobs` at a time. Throws InputError, also when the sources that this program was built
  /// from are gone.
  CoreCache(const std::string& folder, unsigned jobs, StatusLine& status);
  ~CoreCache();
  CoreCache(const CoreCache&) = delete;
  CoreCache& operator=(const CoreCache&) = delete;

  /// A `systole` with the cores of all these points, built from this program's sources. Throws InputError with the end
  /// of the build's log.
  std::string program(const std::vector<DesignPoint>& points);

  /// Cells of each core by name, from scripts/synth: a minute or more for a new one. Throws InputError as program()
  /// does.
  std::map<std::string, std::uint64_t> cells(const std::vector<DesignPoint>& points);

 private:
  void write_configurations(const std::vector<DesignPoint>& points);
  void run(const std::vector<std::string>& command, const std::string& what);

  std::string folder_;
  unsigned jobs_;
  StatusLine& status_;
  int lock_ = -1;
};

}  // namespace systole::cli
