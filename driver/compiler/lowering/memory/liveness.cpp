// SPDX-License-Identifier: Apache-2.0
#include "liveness.hpp"

#include "row_chains.hpp"

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
    if (layer.words_output != graph::kNoTensor) {
      live[layer.words_output] = {i, i};
    }
  }
  for (const graph::TensorId id : segment.outputs) {
    live[id].to = count - 1;
  }
  const std::vector<const RowChain*> chains = chain_of_layers(segment.layers.size(), segment.chains);
  for (auto& [id, range] : live) {
    if (const RowChain* chain = chains[static_cast<std::size_t>(range.from)]) {
      range.from = static_cast<int>(chain->begin);
    }
    if (const RowChain* chain = chains[static_cast<std::size_t>(range.to)]) {
      range.to = static_cast<int>(chain->end) - 1;
    }
  }
  return live;
}

}  // namespace systole::network
