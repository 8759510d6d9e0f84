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
  std::size_t operators = 0;      ///< of the network
  std::size_t on_host() const;    ///< of these

  /// Takes over what the network's steps measured; may be called after each of several samples.
  void take(const Network& network);
};

/// What kept a layer from being quicker: "array", "vector unit", "loads", "stores" when that engine worked at least
/// half of its cycles, the busiest one; else "latency". Empty without cycles.
std::string bound_of(const LayerReport& layer);

/// "13 on rtl, 2 on the host": where the operators ran.
std::string places_text(const NetworkRun& run);

/// A line per layer, its name shortened, with multiply-accumulates, cycles, predicted cycles, how well they were used
/// (throughput.hpp), bytes moved by LOAD and STORE, and what bounded it; the sum; operators of the host with the
/// reason; where the others ran, and the result.
std::string text_of(const NetworkRun& run, const Style& style);

/// As to_json(Run), and `layers` [{name, shape, macs, cycles, predicted_cycles, utilization, macs_per_cycle,
/// multiplier_share, bound, read_bytes, write_bytes, causes}], `predicted_cycles`, `operators` {device, host},
/// `device_segments`, `host_operators` [{name, reason}]. Of the layers, the network's outputs alone are compared: they
/// have no `bit_exact`.
nlohmann::ordered_json to_json(const NetworkRun& run);

}  // namespace systole::cli
