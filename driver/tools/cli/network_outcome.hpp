// SPDX-License-Identifier: Apache-2.0
// What the samples of a network cost, as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "network_table.hpp"

namespace systole::cli {

struct NetworkOutcome {
  std::size_t samples = 0;
  NetworkRun network;                                  ///< figures of layers are added up over all samples
  std::string load, input, quantize, compile, deploy;  ///< what these took, in words
};

/// Adds what the network's last run cost.
void add_sample(NetworkOutcome& outcome, const Network& network);

/// What was done, then the table of the network's layers, speed and verdict.
std::string text_of(const NetworkOutcome& outcome, const Style& style);

/// The network's figures, `samples`, and of each layer what systole report reads. Layers that were done while others
/// were still under way, and so have no cycle of their own, are part of the layer before them.
nlohmann::ordered_json to_json(const NetworkOutcome& outcome);

}  // namespace systole::cli
