// SPDX-License-Identifier: Apache-2.0
// Layers that become one program, and how it computes them.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "layer.hpp"
#include "systole/compiled_network.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Layers in which every row of the result depends only on the same row of what earlier layers of the chain computed.
/// The rows belong to `matrices` of `rows` each: those of a product of computed matrices, or all positions of a tensor.
struct RowChain {
  std::size_t begin = 0, end = 0;  ///< numbers of the layers
  int matrices = 1, rows = 1;
  int parts = 1;      ///< of each matrix
  int part_rows = 1;  ///< of the largest part
  /// For each layer, the longest way to it from the chain's inputs: as many parts later it computes the same rows.
  std::vector<int> depth;
  int depth_of(std::size_t layer) const { return depth.at(layer - begin); }
};

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

}  // namespace systole::network
