// SPDX-License-Identifier: Apache-2.0
// `systole bench --networks --jobs`: a network in parts that are simulated side by side, each by a process of its own.
//
// The functional model runs the parts one after the other; what it leaves between two of them is what the one is
// expected to give out and what the next begins with. So the parts together show what one simulation of the whole would
// show, but for its cycles: each part begins with an empty core and ends with its last store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "options.hpp"
#include "run.hpp"
#include "systole/graph.hpp"
#include "terminal.hpp"

namespace systole::cli {

/// What one process found.
struct PartRun {
  std::size_t begin = 0, end = 0;  ///< operators of the network, the last not among them
  std::string first, last;         ///< their names
  std::uint64_t macs = 0, cycles = 0;
  double simulation_seconds = 0;
  int code = 0;             ///< exit code of the process, or kMismatch for outputs that differ
  std::size_t values = 0;   ///< of the device that were compared with the functional model's: 0 for a part without
                            ///< operators of the device
  std::size_t on_host = 0;  ///< operators
  std::string errors;
};

struct PartedRun {
  std::string name, config, device;
  int dim = 0;
  unsigned jobs = 0;
  std::vector<PartRun> parts;
  double elapsed_seconds = 0;  ///< of the processes, side by side
  std::string difference;      ///< between the functional model behind the last part and the host; empty for none
  std::size_t values = 0;      ///< that were compared for this

  /// kOk, or the worst that happened.
  int code() const;
  Verdict verdict() const;
};

/// Where a network is cut so that its parts take about as long: `parts` + 1 places between operators, from 0 to their
/// number. Fewer where the operators do not give as many.
std::vector<std::size_t> places_to_cut(const graph::Graph& graph, std::size_t parts, int dim);

/// Runs a network of the zoo in `jobs` parts, as many at a time. Throws InputError for options that a part has no use
/// for.
PartedRun run_in_parts(const std::string& name, const DeviceOptions& options, unsigned jobs);

/// A line per part, and the sum.
std::string text_of(const PartedRun& run, const Style& style);

/// `name`, `config`, `device`, `dim`, `jobs`, `macs`, `elapsed_seconds`, `bit_exact`, `parts` [{first, last, macs,
/// cycles, simulation_seconds, bit_exact}].
nlohmann::ordered_json to_json(const PartedRun& run);

}  // namespace systole::cli
