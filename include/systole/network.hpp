// SPDX-License-Identifier: Apache-2.0
// A network on a device. Consecutive operators that the device supports run as one program; the host computes the
// others in between, with exact results, and reports why.
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
#include "systole/device_value.hpp"
#include "systole/graph_value.hpp"

namespace systole {

/// A layer that runs on the device. Layers overlap in time, but each cycle is counted for one of them: the layer whose
/// product the matrix unit computes, or else the first unfinished layer. The cycles of all layers add up to those of
/// the program. A layer that only works while the matrix unit computes products of other layers has no cycles.
struct LayerReport : CompiledLayer {
  // Statistics of the last run; 0 before the first run and on the functional model.
  std::uint64_t cycles = 0;
  CauseTable causes{};  ///< each engine's row adds up to `cycles`
  /// Bytes that LOAD and STORE moved in these cycles. They may belong to other layers, because weights are loaded in
  /// advance.
  std::uint64_t read_bytes = 0, write_bytes = 0;
  /// The cycles of the simulation (Backend::simulated_cycles()) in which an engine took the layer's first command and
  /// in which its last command retired, as TraceOptions take them. Other layers may work in them, too.
  std::uint64_t first_cycle = 0, last_cycle = 0;
};

/// Adds the statistics of another run of the layer. The cycles of the simulation are those of the earlier run.
void add(LayerReport& sum, const LayerReport& part);

/// A step of a network, with the statistics of its last run.
struct StepReport {
  bool on_device = false;
  std::string name;                 ///< host: name of the operator
  std::string reason;               ///< host: why it does not run on the device
  std::vector<LayerReport> layers;  ///< device: one per label of the program
  std::int64_t predicted_cycles = 0;
  RunStats stats;  ///< device: statistics of the program
};

/// The first program of the steps in which a block was not a number (RunStats::nonfinite), or null. The core tells no
/// more than the program: it may be any of its layers.
const StepReport* first_nonfinite(const std::vector<StepReport>& steps);

/// A compiled network on its device. The device must outlive it.
class Network {
 public:
  /// Reserves device memory for the programs. Throws InvalidArgument if the network was compiled for another
  /// configuration than the device's, Failure if its memory has no room.
  Network(Device& device, CompiledNetwork network);
  /// Compiles the graph first; throws what compile_network() throws.
  Network(Device& device, const graph::Graph& graph)
      : Network(device, compile_network(graph, device.configuration(), {{}, device.memory_timing()})) {}
  /// A network whose operands and results are in an arena between runs. Throws as Network(device, network).
  Network(std::shared_ptr<Arena> arena, CompiledNetwork network);
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network();

  /// Runs one sample. `inputs` match graph::sample_inputs() in number, type and shape; the results match
  /// graph::sample_outputs(). A network with states (graph::Graph::states) begins with those that the last run left; a
  /// run that throws leaves them as they were.
  /// `observer` is called with every output of a step. Throws InvalidArgument for inputs that do not match,
  /// LayerAccountingError, and what Device::run() throws.
  std::vector<graph::Value> run(const std::vector<graph::Value>& inputs, const RunOptions& options = {},
                                const std::function<void(graph::TensorId, const graph::Value&)>& observer = {});

  /// The same with values that stay where they are. A result that a program computes is in the network's arena, and an
  /// operand that lies there is not copied. Throws InvalidArgument for a network without an arena, or with states.
  std::vector<SharedDeviceValue> run_in_arena(const std::vector<SharedDeviceValue>& inputs,
                                              const RunOptions& options = {});

  /// The next run begins with the states of a network that never ran. Without effect on a network without states.
  void reset_state();

  const graph::Graph& graph() const;
  const std::vector<StepReport>& steps() const;
  /// CompiledNetwork::transformations; those of reading the file, too, if load_network() did.
  const TransformationCounts& transformations() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace systole
