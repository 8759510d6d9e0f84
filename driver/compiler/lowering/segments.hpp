// SPDX-License-Identifier: Apache-2.0
// Which operators of a graph run on the device together, and which run on the host between them.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include "layer.hpp"
#include "systole/compiled_network.hpp"
#include "systole/graph.hpp"

namespace systole::network {

/// Layers that become one program.
struct Segment {
  std::vector<Layer> layers;             ///< in an order in which they can run
  std::vector<graph::TensorId> inputs;   ///< that an earlier step or the user computed
  std::vector<graph::TensorId> outputs;  ///< that a later step or the user wants
};

using Step = std::variant<Segment, HostStep>;

/// Every operator in one step, as few segments as possible: all that the device can do is done before the host's turn,
/// and the other way round. Operators of `refused` are the host's, for the reason there. `graph` is valid.
std::vector<Step> make_steps(const graph::Graph& graph, const std::map<int, std::string>& refused = {});

/// Fuses what the device does in one pass: an addition into the convolution before it, the flattening of an image into
/// the fully connected layer behind it, padding into the convolution or pool behind it, a table into the table behind
/// it. `wanted` are tensors that must stay.
void fuse(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, int dim);

}  // namespace systole::network
