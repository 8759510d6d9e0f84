// SPDX-License-Identifier: Apache-2.0
// A whole network that ran on a device: figures per layer and in total, as text and JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run.hpp"
#include "systole/network.hpp"

namespace systole::cli {

struct NetworkRun {
  Run run;                        ///< sum over all programs
  std::vector<StepReport> steps;  ///< of the last sample
  std::size_t operators = 0;      ///< number of operators of the network
  std::string nonfinite;          ///< nonfinite_text() of the first sample that has one
  std::size_t on_host() const;    ///< number of operators on the host

  /// Takes the measurements of the network's steps; may be called after each of several samples.
  void take(const Network& network);
  void take(std::vector<StepReport> of_sample, std::size_t operators_of_network);
};

/// The place where a block was first not a number, because of an infinity or a NaN: "layer 'dense1'" or "program 2, one
/// of its layers 'conv1' to 'dense1'"; empty if nowhere.
std::string nonfinite_text(const std::vector<StepReport>& steps);

/// "13 on rtl, 2 on the host": where the operators ran.
std::string places_text(const NetworkRun& run);

/// A line per layer, its name shortened, with multiply-accumulates, cycles, predicted cycles, utilization
/// (throughput.hpp), bytes moved by LOAD and STORE, and the limiting engine; the sum; operators on the host with the
/// reason; where the operators ran, where numbers were not finite, and the verdict.
std::string text_of(const NetworkRun& run, const Style& style);

/// As to_json(Run), plus `predicted_cycles`, `operators` {device, host}, `nonfinite_in`, which is nonfinite_text() or
/// null, and what report::add_steps() adds.
nlohmann::ordered_json to_json(const NetworkRun& run);

}  // namespace systole::cli
