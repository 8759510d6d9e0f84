// SPDX-License-Identifier: Apache-2.0
// Partitions a graph into segments that run on the device and operators that run on the host between them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "layer.hpp"
#include "row_chains.hpp"
#include "systole/compiled_network.hpp"
#include "systole/graph.hpp"
#include "systole/transformations.hpp"

namespace systole::network {

/// Layers that become one program.
struct Segment {
  std::vector<Layer> layers;                           ///< in topological order
  std::vector<graph::TensorId> inputs;                 ///< computed by an earlier step or given by the user
  std::vector<graph::TensorId> outputs;                ///< read by a later step or outputs of the network
  std::vector<RowChain> chains = {};                   ///< layers that are computed part by part
  std::vector<int> lanes = {};                         ///< of each layer, if they overlap (overlap.hpp)
  bool spread_kernels = false;                         ///< whether small kernels have rows of the scratchpad in turn
  bool keeps_on_chip = true;                           ///< whether tensors may stay in the scratchpad
  std::map<graph::TensorId, WrittenTiles> tiles = {};  ///< inputs that the host writes as weight tiles
  MemoryTiming memory = {};                            ///< what the program is scheduled for
};

using Step = std::variant<Segment, HostStep>;

/// Assigns every operator to one step, with as few segments as possible: everything the device can run is taken before
/// the host's turn, and vice versa. Operators that need a part which the configuration lacks run on the host, and so do
/// those in `refused`, for the reason given there; those
/// in `plain` are lowered in the plain way. `graph` is valid.
std::vector<Step> make_steps(const graph::Graph& graph, const Configuration& configuration,
                             const std::map<int, std::string>& refused, const std::set<int>& plain,
                             Transformations& transformations);

/// Fuses an addition into the convolution before it, the flattening of an image into the following fully connected
/// layer, padding into the following convolution or pooling, and a table into the following table. Tensors in `wanted`
/// must stay.
void fuse(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, const Configuration& configuration,
          Transformations& transformations);

}  // namespace systole::network
