// SPDX-License-Identifier: Apache-2.0
#include "liveness.hpp"

namespace systole::network {

std::map<graph::TensorId, Life> lives_of(const Segment& segment) {
  std::map<graph::TensorId, Life> lives;
  const int count = static_cast<int>(segment.layers.size());
  for (int i = 0; i < count; ++i) {
    const Layer& layer = segment.layers[static_cast<std::size_t>(i)];
    for (const graph::TensorId id : layer.inputs) {
      lives[id].to = i;
    }
    lives[layer.output] = {i, i};
  }
  for (const graph::TensorId id : segment.outputs) {
    lives[id].to = count - 1;
  }
  return lives;
}

}  // namespace systole::network
