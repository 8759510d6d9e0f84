// SPDX-License-Identifier: Apache-2.0
// Builds cores that are not part of this build on demand, and counts their cells. Results are kept in a folder: a later
// build only checks them against the sources.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ranks.hpp"
#include "status_line.hpp"
#include "sweep_grid.hpp"

namespace systole::cli {

/// Throws InputError unless the folder has the sources of the cores: the program may be installed without them.
void demand_sources(const std::string& folder);

class CoreCache {
 public:
  /// Creates the folder (by default build/sweep next to the sources) and locks it against other sweeps while the object
  /// exists. Builds run `jobs` at a time. Throws InputError, also if the sources of this program no longer exist.
  CoreCache(const std::string& folder, unsigned jobs, ranks::Ranks& ranks, StatusLine& status);
  ~CoreCache();
  CoreCache(const CoreCache&) = delete;
  CoreCache& operator=(const CoreCache&) = delete;

  /// Builds a `systole` with the cores of all these points from this program's sources. Throws InputError with the end
  /// of the build log, and ranks::Stopped after a signal.
  std::string program(const std::vector<DesignPoint>& points);

  /// Cells of each core by name, from scripts/synth: a minute or more for a new one. Throws InputError as program()
  /// does.
  std::map<std::string, std::uint64_t> cells(const std::vector<DesignPoint>& points);

 private:
  void write_configurations(const std::vector<DesignPoint>& points);
  void run(const std::vector<std::string>& command, const std::string& what);

  std::string folder_;
  unsigned jobs_;
  ranks::Ranks& ranks_;
  StatusLine& status_;
  int lock_ = -1;
};

}  // namespace systole::cli
