// SPDX-License-Identifier: Apache-2.0
#include "layer_readers.hpp"

#include <algorithm>
#include <set>

namespace systole::network {

Layer* only_reader(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted, graph::TensorId id) {
  Layer* reader = nullptr;
  std::ptrdiff_t uses = std::count(wanted.begin(), wanted.end(), id);
  for (Layer& layer : layers) {
    const auto count = layer.output == graph::kNoTensor ? 0 : std::count(layer.inputs.begin(), layer.inputs.end(), id);
    uses += count;
    reader = count != 0 ? &layer : reader;
  }
  return uses == 1 ? reader : nullptr;
}

bool computes_any(const Layer& layer, const std::set<int>& operators) {
  return std::any_of(layer.operators.begin(), layer.operators.end(), [&](int op) { return operators.count(op) != 0; });
}

void remove_fused(std::vector<Layer>& layers) {
  layers.erase(
      std::remove_if(layers.begin(), layers.end(), [](const Layer& layer) { return layer.output == graph::kNoTensor; }),
      layers.end());
}

void remove_unread(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted) {
  std::set<graph::TensorId> read(wanted.begin(), wanted.end());
  std::vector<bool> needed(layers.size());
  for (std::size_t i = layers.size(); i-- > 0;) {  // readers follow
    needed[i] = layers[i].macs != 0 || read.count(layers[i].output) != 0 || read.count(layers[i].words_output) != 0;
    if (needed[i]) {
      read.insert(layers[i].inputs.begin(), layers[i].inputs.end());
    }
  }
  std::size_t at = 0;
  layers.erase(std::remove_if(layers.begin(), layers.end(), [&](const Layer&) { return !needed[at++]; }), layers.end());
}

}  // namespace systole::network
