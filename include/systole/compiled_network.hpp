// SPDX-License-Identifier: Apache-2.0
// A network compiled for a configuration: what the device can do becomes programs, one for every stretch of the graph;
// what it cannot is done on the host in between, exactly, and said. systole/network.hpp runs it, systole/container.hpp
// keeps it in a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "systole/buffer.hpp"
#include "systole/generated/configuration.hpp"
#include "systole/graph.hpp"
#include "systole/program.hpp"

namespace systole {

/// A layer of a program.
struct CompiledLayer {
  std::string name;                   ///< of the operator, or of several that were fused
  std::string shape;                  ///< of its result
  std::uint64_t macs = 0;             ///< useful multiply-accumulates
  std::int64_t predicted_cycles = 0;  ///< by the cost model, which divides cycles among layers as LayerReport does
};

/// One operator on the host.
struct HostStep {
  int op = 0;          ///< index in Graph::operators
  std::string reason;  ///< why not on the device
};

/// A program for layers that run without the host. Its buffers lie in the memory that it was compiled for.
struct DeviceStep {
  Program program;
  std::vector<CompiledLayer> layers;                  ///< one per label of its program
  std::map<graph::TensorId, Buffer> inputs, outputs;  ///< dense, row-major
};

using NetworkStep = std::variant<DeviceStep, HostStep>;

/// A network for a configuration: steps in the order in which they run.
struct CompiledNetwork {
  graph::Graph graph;
  Configuration configuration;
  std::vector<NetworkStep> steps;
};

/// What runs of a program are called unless RunOptions::name says otherwise: its only layer, or "program 2". `number`
/// counts the programs of the network, from 0.
std::string run_name(const DeviceStep& step, std::size_t number);

/// Compiles for one sample at a time, with as few programs as possible; what does not fit the configuration runs on the
/// host. Throws graph::GraphError for a graph that is not valid, Failure when `memory` is too small.
CompiledNetwork compile_network(const graph::Graph& graph, const Configuration& configuration,
                                const std::shared_ptr<AddressSpace>& memory);

}  // namespace systole
