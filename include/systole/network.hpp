// SPDX-License-Identifier: Apache-2.0
// A network on a device: what the device can do becomes programs, one for every stretch of the graph; what it cannot is
// done on the host in between, exactly, and said.
//
//   Device device = Device::open({}, "rtl");
//   Network network(device, import_model("model.tflite"));
//   std::vector<graph::Value> outputs = network.run(inputs);
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "systole/compiled_network.hpp"
#include "systole/device.hpp"
#include "systole/graph_value.hpp"

namespace systole {

/// A layer of the device. Layers overlap in time, but a cycle is one layer's: that whose product the matrix unit
/// computes; where it computes none, the first that is not done. So the layers' cycles add up to the program's, and
/// none is shorter than its products. A layer whose work all lay beside the products of others has no cycles.
struct LayerReport : CompiledLayer {
  // Of the last run; 0 before, and on the functional model.
  std::uint64_t cycles = 0;
  CauseTable causes{};  ///< each engine's row adds up to `cycles`
  /// Between device memory and chip, by LOAD and STORE, in these cycles: for whichever layer, as weights are loaded
  /// ahead.
  std::uint64_t read_bytes = 0, write_bytes = 0;
};

/// What a step did when it ran last.
struct StepReport {
  bool on_device = false;
  std::string name;                 ///< host: the operator
  std::string reason;               ///< host: why not on the device
  std::vector<LayerReport> layers;  ///< device, one per label of its program
  std::int64_t predicted_cycles = 0;
  RunStats stats;  ///< device
};

/// A compiled network on its device, which lives longer.
class Network {
 public:
  /// Throws InvalidArgument when the device has another configuration.
  Network(Device& device, CompiledNetwork network);
  /// Compiles first.
  Network(Device& device, const graph::Graph& graph)
      : Network(device, compile_network(graph, device.configuration(), device.memory())) {}
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Runs one sample: `inputs` as Graph::inputs in number, type and shape; results as Graph::outputs. `observer` is
  /// told every tensor that leaves a step. Throws graph::GraphError for inputs that do not fit, LayerAccountingError,
  /// and what Device::run throws.
  std::vector<graph::Value> run(const std::vector<graph::Value>& inputs, const RunOptions& options = {},
                                const std::function<void(graph::TensorId, const graph::Value&)>& observer = {});

  const graph::Graph& graph() const;
  const std::vector<StepReport>& steps() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace systole
