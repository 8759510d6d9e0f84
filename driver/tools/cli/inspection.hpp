// SPDX-License-Identifier: Apache-2.0
// Inspects a model: each operator, where it would run, and what is unsupported.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systole/compiled_network.hpp"
#include "systole/configurations.hpp"
#include "systole/execution_plan.hpp"
#include "systole/import_model.hpp"
#include "terminal.hpp"

namespace systole::cli {

enum class RunsOn {
  kDevice,
  kHost,
  kNothing,  ///< not supported
  kUnknown   ///< its inputs could not be read, so that only its type is known
};

/// An operator of the file; it may have been translated to several.
struct InspectedOperator {
  int place = -1;  ///< index in the file, from 0; -1 if it was added
  std::string type, parameters, shape, element, quantization;
  std::uint64_t macs = 0;
  RunsOn runs_on = RunsOn::kDevice;
  std::string reason;          ///< why it does not run on the device
  std::size_t parts = 1;       ///< number of graph operators that it was translated to
  std::size_t host_parts = 0;  ///< number of these that run on the host
};

struct Inspection {
  graph::ModelContents contents;             ///< with the graph that would be compiled
  std::vector<PlannedOperator> plan;         ///< of each operator of the graph
  std::vector<InspectedOperator> operators;  ///< in execution order
  std::uint64_t macs = 0;

  /// Whether all operators are supported.
  bool runs() const { return contents.obstacles.empty(); }
  /// The options with which it may run, if options remove all obstacles; otherwise none.
  std::vector<std::string> missing_options() const;
};

/// Compiles the network: only that shows what does not fit the configuration.
Inspection inspect(graph::ModelContents contents, const Configuration& configuration,
                   const CompileOptions& options = {});

/// Overview, table, why operators run on the host, what is unsupported and how to resolve it. Columns that do not fit
/// into `width` are dropped; 0 means unlimited. `path` is used in recommended commands, and so are the `given` options.
std::string text_of(const Inspection& inspection, const std::string& path, const Style& style, int width,
                    const std::vector<std::string>& given = {});

/// The JSON of graph::to_json(), plus for each operator "place" in the file (or null), "share" of the MACs, "runs_on"
/// (null if neither device nor host computes it) and "reason" (or null); and "format", "runs", "device" and "host"
/// (operators and MACs), "missing", "not_read", "remarks" and "open_dimensions".
nlohmann::ordered_json to_json(const Inspection& inspection);

}  // namespace systole::cli
