// SPDX-License-Identifier: Apache-2.0
// Where the graphs of a training run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "network_table.hpp"
#include "options.hpp"
#include "precision.hpp"
#include "trainer.hpp"

namespace systole::cli {

/// What a graph has cost on the device so far.
struct GraphCost {
  std::uint64_t runs = 0, cycles = 0;
  std::size_t on_host = 0;  ///< operators that the host computes, whose time is in no cycle
  double cycles_of_run() const { return runs == 0 ? 0 : static_cast<double>(cycles) / static_cast<double>(runs); }
};

struct TrainRunner {
  training::Runner run;
  std::function<GraphCost(const graph::Graph&)> cost;  ///< of a graph; zeros before it has run, and on the host
  /// Last run of a graph on the device, if there was one; its `nonfinite` is that of the first run that has one.
  std::function<const NetworkRun*(const graph::Graph&)> last;
  std::function<void()> finish;  ///< finish_recordings() of the device, if there is one
};

/// On the host, or on a device, for which each graph is compiled when it runs first; what the device does not support,
/// the host computes in between. With Precision::kMx products are in block floating point, forward and backward; the
/// optimizer and all else stay binary32.
TrainRunner runner(const DeviceOptions& options, Precision precision);

}  // namespace systole::cli
