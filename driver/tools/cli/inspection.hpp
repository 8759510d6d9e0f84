// SPDX-License-Identifier: Apache-2.0
// What will happen to a model: each of its operators, where it would run, and what is missing.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systole/configurations.hpp"
#include "systole/import_model.hpp"
#include "terminal.hpp"

namespace systole::cli {

enum class RunsOn {
  kDevice,
  kHost,
  kNothing,  ///< not supported
  kUnknown   ///< what it takes could not be read, so that nothing is known of it but its type
};

/// An operator of the file, which may have become several.
struct InspectedOperator {
  int place = -1;  ///< in the file, from 0; -1 for one that was added
  std::string type, parameters, shape, element, quantization;
  std::uint64_t macs = 0;
  RunsOn runs_on = RunsOn::kDevice;
  std::string reason;          ///< why not on the device
  std::size_t parts = 1;       ///< operators that it has become
  std::size_t host_parts = 0;  ///< of these on the host
};

struct Inspection {
  graph::ModelContents contents;             ///< with the graph as it would be compiled
  std::vector<std::string> reasons;          ///< why not on the device, of each operator of the graph; empty: it is
  std::vector<InspectedOperator> operators;  ///< in the order in which they run
  std::uint64_t macs = 0;

  /// Whether all operators would run.
  bool runs() const { return contents.obstacles.empty(); }
};

/// Compiles the network: what does not fit the configuration shows only there.
Inspection inspect(graph::ModelContents contents, const Configuration& configuration);

/// Overview, table, why operators are on the host, what is missing and what to do about it. Columns that do not fit
/// into `width` are left out; 0 is as wide as it takes. `path` is for the commands that it recommends.
std::string text_of(const Inspection& inspection, const std::string& path, const Style& style, int width);

/// What graph::to_json() has; of each operator "place" in the file (or null), "share" of the MACs, "runs_on" and
/// "reason" (or null); and "format", "runs", "device" and "host" (operators and MACs), "missing", "not_read" and
/// "open_dimensions".
nlohmann::ordered_json to_json(const Inspection& inspection);

}  // namespace systole::cli
