// SPDX-License-Identifier: Apache-2.0
// Results of a network over its samples, as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "network_table.hpp"

namespace systole::cli {

struct NetworkOutcome {
  std::size_t samples = 0;
  std::size_t batch = 1;                               ///< samples of a run
  NetworkRun network;                                  ///< layer figures are sums over all samples
  std::string load, input, quantize, compile, deploy;  ///< durations of these steps, as text
  std::vector<std::string> remarks;                    ///< graph::ModelContents::remarks, execution_notes()
};

/// Adds the figures of a run of so many samples: those of the network's steps, which the graph's operators are divided
/// into.
void add_samples(NetworkOutcome& outcome, const std::vector<StepReport>& steps, std::size_t operators,
                 std::size_t samples);

/// The steps, then the table of the network's layers, speed and verdict.
std::string text_of(const NetworkOutcome& outcome, const Style& style);

/// The network's figures, `samples`, and for each layer what systole report reads. Layers that ended while others were
/// still running, and so own no cycle, are merged into the layer before them.
nlohmann::ordered_json to_json(const NetworkOutcome& outcome);

}  // namespace systole::cli
