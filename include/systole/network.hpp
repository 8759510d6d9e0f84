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
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "systole/device.hpp"
#include "systole/graph_value.hpp"

namespace systole {

/// A layer of the device. Layers overlap in time, but a cycle is one layer's: that whose product the matrix unit computes; where it
/// computes none, the first that is not done. So the layers' cycles add up to the program's, and none is shorter than its products.
/// A layer whose work all lay beside the products of others has no cycles.
struct LayerReport {
  std::string name;            ///< of the operator, or of several that were fused
  std::string shape;           ///< of its result
  std::uint64_t macs = 0;      ///< useful multiply-accumulates
  std::int64_t predicted_cycles = 0;  ///< by the cost model, which divides cycles in the same way
  // Of the last run; 0 before, and on the functional model.
  std::uint64_t cycles = 0;
  CauseTable causes{};  ///< each engine's row adds up to `cycles`
  /// Between device memory and chip, by LOAD and STORE, in these cycles: for whichever layer, as weights are loaded ahead.
  std::uint64_t read_bytes = 0, write_bytes = 0;
};

/// The layers of a program do not add up to it, or one is beyond what the core can do: said of the first that is wrong. `layers` names
/// those concerned. Asked after every run; the results are not affected.
class LayerAccountingError : public AccountingError {
 public:
  LayerAccountingError(const std::string& text, std::vector<std::string> rows) : AccountingError(text), layers(std::move(rows)) {}
  std::vector<std::string> layers;
};

/// What a step did when it ran last.
struct StepReport {
  bool on_device = false;
  std::string name;                 ///< host: the operator
  std::string reason;               ///< host: why not on the device
  std::vector<LayerReport> layers;  ///< device, one per label of its program
  std::int64_t predicted_cycles = 0;
  RunStats stats;                   ///< device
};

/// One operator on the host.
struct HostStep {
  int op = 0;          ///< index in Graph::operators
  std::string reason;  ///< why not on the device
};

/// A program for layers that run without the host. Its buffers lie in the memory that it was compiled for.
struct DeviceStep {
  Program program;
  std::vector<LayerReport> layers;
  std::map<graph::TensorId, Buffer> inputs, outputs;  ///< dense, row-major
};

using NetworkStep = std::variant<DeviceStep, HostStep>;

/// A network for a configuration: steps in the order in which they run.
struct CompiledNetwork {
  graph::Graph graph;
  Configuration configuration;
  std::vector<NetworkStep> steps;
};

/// What runs of a program are called unless RunOptions::name says otherwise: its only layer, or "program 2". `number` counts the
/// programs of the network, from 0.
std::string run_name(const DeviceStep& step, std::size_t number);

/// Compiles for one sample at a time, with as few programs as possible; what does not fit the configuration runs on the host. Throws
/// graph::GraphError for a graph that is not valid, std::runtime_error when `memory` is too small.
CompiledNetwork compile_network(const graph::Graph& graph, const Configuration& configuration,
                                const std::shared_ptr<AddressSpace>& memory);

/// A compiled network on its device, which lives longer.
class Network {
 public:
  /// Throws std::invalid_argument when the device has another configuration.
  Network(Device& device, CompiledNetwork network);
  /// Compiles first.
  Network(Device& device, const graph::Graph& graph)
      : Network(device, compile_network(graph, device.configuration(), device.memory())) {}
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Runs one sample: `inputs` as Graph::inputs in number, type and shape; results as Graph::outputs. `observer` is told every
  /// tensor that leaves a step. Throws graph::GraphError for inputs that do not fit, LayerAccountingError, and what Device::run throws.
  std::vector<graph::Value> run(const std::vector<graph::Value>& inputs, const RunOptions& options = {},
                                const std::function<void(graph::TensorId, const graph::Value&)>& observer = {});

  const graph::Graph& graph() const;
  const std::vector<StepReport>& steps() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace systole
