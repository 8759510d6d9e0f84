// SPDX-License-Identifier: Apache-2.0
// What a network cost on a device: as the JSON that run_file.hpp reads, and as a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "systole/network.hpp"

namespace systole::report {

/// What limited a layer: "array", "vector unit", "loads", "stores" if that engine worked for at least half of its
/// cycles, the busiest one; otherwise "latency". Empty without cycles.
std::string bound_of(const LayerReport& layer);

/// The steps, with each layer that ended while others were still running, and so has no cycles, merged into the layer
/// before it. On the functional model no layer has cycles, and all stay.
std::vector<StepReport> joined(std::vector<StepReport> steps);

/// Adds `device_segments`, `host_operators` [{name, reason}] and `layers` [{name, shape, macs, cycles,
/// predicted_cycles, estimated_cycles, utilization, macs_per_cycle, multiplier_share, bound, read_bytes, write_bytes,
/// window, causes}]. `window` has the layer's first and last cycle of the simulation, as --trace-from and --trace-to
/// take them. Layers have no `bit_exact`: only the outputs of a network are compared.
void add_steps(nlohmann::ordered_json& json, const std::vector<StepReport>& steps, int dim);

/// The JSON of a run whose results were not compared, for the reason `against`.
nlohmann::ordered_json network_json(const std::string& name, const Configuration& configuration,
                                    const std::vector<StepReport>& steps, const std::string& against);

/// Writes network_json() to a path that ends in .json, and otherwise the page of it. Throws InvalidArgument if no layer
/// has cycles, because nothing ran on the device or because it is the functional model, and FileError.
void write_report(const std::string& path, const nlohmann::ordered_json& network);

}  // namespace systole::report
