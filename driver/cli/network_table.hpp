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
  Run run;                        ///< all programs together
  std::vector<StepReport> steps;  ///< of the last sample

  /// Takes over what the network's steps measured; may be called after each of several samples.
  void take(const Network& network);
};

/// What kept a layer from being quicker: "array", "vector unit", "loads", "stores" when that engine worked at least half of its
/// cycles, the busiest one; else "latency". Empty without cycles.
std::string bound_of(const LayerReport& layer);

/// A line per layer, its name shortened, with multiply-accumulates, cycles, predicted cycles, utilization, bytes moved and what bounded it; operators of
/// the host with the reason; the sum.
std::string text_of(const NetworkRun& run, const Style& style);

/// As to_json(Run), and `layers` [{name, shape, macs, cycles, predicted_cycles, utilization, bound, read_bytes, write_bytes, causes,
/// bit_exact}], `predicted_cycles`, `device_segments`, `host_operators` [{name, reason}].
nlohmann::ordered_json to_json(const NetworkRun& run);

}  // namespace systole::cli
