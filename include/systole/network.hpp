// SPDX-License-Identifier: Apache-2.0
// A network on a device: what the device can do becomes programs, one for every stretch of the graph; what it cannot is done
// on the host in between, exactly, and said.
//
//   Device device = Device::open({}, "rtl");
//   Network network(device, import_model("model.tflite"));
//   std::vector<graph::Value> outputs = network.run(inputs);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "systole/device.hpp"
#include "systole/graph.hpp"
#include "graph/execute.hpp"

namespace systole {

/// A layer of the device. Layers overlap in time: a layer's cycles are those from the moment when all before it were done until
/// it was done as well, so that the layers' cycles add up to the program's.
struct LayerReport {
  std::string name;            ///< of the operator, or of several that were fused
  std::string shape;           ///< of its result
  std::uint64_t macs = 0;      ///< useful multiply-accumulates
  std::int64_t predicted_cycles = 0;  ///< by the cost model
  std::uint64_t cycles = 0;           ///< of the last run; 0 before, and on the functional model
};

/// A program of the device, or one operator of the host.
struct StepReport {
  bool on_device = false;
  std::string reason;               ///< host: why not on the device
  std::string name;                 ///< host: the operator
  std::vector<LayerReport> layers;  ///< device
  std::int64_t predicted_cycles = 0;
  RunStats stats;                   ///< device: of the last run
};

/// Compiled for one device, for one sample at a time. Throws on construction graph::GraphError for a graph that is not valid or a
/// layer that does not fit the chip, std::runtime_error when device memory is too small.
class Network {
 public:
  Network(Device& device, const graph::Graph& graph);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Runs one sample: `inputs` as Graph::inputs in number, type and shape; results as Graph::outputs. `observer` is told every
  /// tensor that leaves a step. Throws graph::GraphError for inputs that do not fit, and what Device::run throws.
  std::vector<graph::Value> run(const std::vector<graph::Value>& inputs, const RunOptions& options = {},
                                const std::function<void(graph::TensorId, const graph::Value&)>& observer = {});

  const graph::Graph& graph() const;
  /// In the order in which they run.
  const std::vector<StepReport>& steps() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace systole
