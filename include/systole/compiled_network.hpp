// SPDX-License-Identifier: Apache-2.0
// A network compiled for a configuration. Consecutive operators that the device supports become one program; the host
// computes the others in between, with exact results, and each has a reason. systole/network.hpp runs a compiled
// network, systole/container.hpp saves it to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "systole/generated/configuration.hpp"
#include "systole/graph.hpp"
#include "systole/memory_timing.hpp"
#include "systole/pass_log.hpp"
#include "systole/program.hpp"
#include "systole/transformations.hpp"

namespace systole {

/// A layer of a program.
struct CompiledLayer {
  std::string name;                   ///< name of the operator, or of the operators that were fused
  std::string shape;                  ///< shape of its result, such as "1x28x28x16"
  std::uint64_t macs = 0;             ///< useful multiply-accumulates, without those by zeros that are skipped
  std::int64_t predicted_cycles = 0;  ///< from the cost model, which divides cycles among layers as LayerReport does
};

/// An operator that the host computes.
struct HostStep {
  int op = 0;          ///< index in Graph::operators
  std::string reason;  ///< why it does not run on the device
};

/// A matrix as the weight tiles of a product in block floating point: [outputs, depth], or transposed.
struct WrittenTiles {
  int depth = 1, outputs = 1;
  bool transposed = false;

  friend bool operator<(const WrittenTiles& a, const WrittenTiles& b) {
    return std::tie(a.depth, a.outputs, a.transposed) < std::tie(b.depth, b.outputs, b.transposed);
  }
};

/// A program that runs several layers without the host.
struct DeviceStep {
  Program program;
  std::vector<CompiledLayer> layers;  ///< one per label of the program
  /// The places of tensors in the program's bindings. They are dense and row-major, except inputs that are `tiles`.
  std::map<graph::TensorId, MemoryRange> inputs, outputs;
  std::map<graph::TensorId, WrittenTiles> tiles = {};
};

using NetworkStep = std::variant<DeviceStep, HostStep>;

/// A network compiled for a configuration. Its steps run in order.
struct CompiledNetwork {
  graph::Graph graph;
  Configuration configuration;
  std::vector<NetworkStep> steps;
  TransformationCounts transformations = {};  ///< how often each was applied; empty for programs from a file
};

struct CompileOptions {
  std::vector<std::string> without;  ///< names of transformations that are not applied (systole/transformations.hpp)
  MemoryTiming memory = {};          ///< what tiles, their order and predictions are chosen for
  PassLog* log = nullptr;            ///< is told what the passes do; may be null
};

/// The default of RunOptions::name for a program of a network: the name of its only layer, or else "program 2", where
/// `number` counts the programs of the network from 0.
std::string run_name(const DeviceStep& step, std::size_t number);

/// Compiles a network that processes one sample at a time, to as few programs as possible. Operators that do not fit
/// the configuration run on the host. Throws graph::GraphError for an invalid graph, InvalidArgument for an unknown
/// transformation, Failure if a program needs more memory than 32-bit addresses reach.
CompiledNetwork compile_network(const graph::Graph& graph, const Configuration& configuration,
                                const CompileOptions& options = {});

}  // namespace systole
