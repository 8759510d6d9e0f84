// SPDX-License-Identifier: Apache-2.0
#include "liveness.hpp"

namespace systole::network {

std::map<graph::TensorId, LiveRange> live_ranges(const Segment& segment) {
  std::map<graph::TensorId, LiveRange> live;
  const int count = static_cast<int>(segment.layers.size());
  for (int i = 0; i < count; ++i) {
    const Layer& layer = segment.layers[static_cast<std::size_t>(i)];
    for (const graph::TensorId id : layer.inputs) {
      live[id].to = i;
    }
    live[layer.output] = {i, i};
  }
  for (const graph::TensorId id : segment.outputs) {
    live[id].to = count - 1;
  }
  return live;
}

}  // namespace systole::network
