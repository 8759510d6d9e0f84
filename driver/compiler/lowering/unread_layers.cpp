// SPDX-License-Identifier: Apache-2.0
#include "unread_layers.hpp"

#include <algorithm>
#include <set>

namespace systole::network {

void remove_unread(std::vector<Layer>& layers, const std::vector<graph::TensorId>& wanted) {
  std::set<graph::TensorId> read(wanted.begin(), wanted.end());
  std::vector<bool> needed(layers.size());
  for (std::size_t i = layers.size(); i-- > 0;) {  // readers follow
    needed[i] = layers[i].macs != 0 || read.count(layers[i].output) != 0;
    if (needed[i]) {
      read.insert(layers[i].inputs.begin(), layers[i].inputs.end());
    }
  }
  std::size_t at = 0;
  layers.erase(std::remove_if(layers.begin(), layers.end(), [&](const Layer&) { return !needed[at++]; }), layers.end());
}

}  // namespace systole::network
