// SPDX-License-Identifier: Apache-2.0
// `systole bench --networks --jobs`: a network divided into parts that are simulated in parallel, each by its own
// process.
//
// The functional model runs the parts one after another; the tensors between two parts are the expected outputs of the
// first and the inputs of the second. The parts together therefore check what one simulation of the whole network would
// check, except for its cycles: each part begins with an empty core and ends with its last store.
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

/// Result of one process.
struct PartRun {
  std::size_t begin = 0, end = 0;  ///< range of operators of the network, half-open
  std::string first, last;         ///< their names
  std::uint64_t macs = 0, cycles = 0;
  double simulation_seconds = 0;
  int code = 0;             ///< exit code of the process, or kMismatch for outputs that differ
  std::size_t values = 0;   ///< number of device results compared with the functional model's; 0 for a part without
                            ///< device operators
  std::size_t on_host = 0;  ///< operators that run on the host
  std::string errors;
};

struct PartedRun {
  std::string name, config, device;
  int dim = 0;
  unsigned jobs = 0;
  std::vector<PartRun> parts;
  double elapsed_seconds = 0;  ///< wall-clock time of all processes
  std::string difference;      ///< difference between the functional model's and the host's outputs; empty if none
  std::size_t values = 0;      ///< number of values compared for this

  /// kOk, or the worst exit code.
  int code() const;
  Verdict verdict() const;
};

/// Cuts a network into parts of about equal simulation time: `parts` + 1 operator indices, from 0 to their number.
/// Fewer if there are not enough operators.
std::vector<std::size_t> places_to_cut(const graph::Graph& graph, std::size_t parts, int dim);

/// Runs a network of the zoo in `jobs` parts, all in parallel. Throws InputError for options that do not apply to
/// parts.
PartedRun run_in_parts(const std::string& name, const DeviceOptions& options, unsigned jobs, ranks::Ranks& ranks);

/// A line per part, and the sum.
std::string text_of(const PartedRun& run, const Style& style);

/// `name`, `config`, `device`, `dim`, `jobs`, `macs`, `elapsed_seconds`, `bit_exact`, `parts` [{first, last, macs,
/// cycles, simulation_seconds, bit_exact}].
nlohmann::ordered_json to_json(const PartedRun& run);

}  // namespace systole::cli
