// SPDX-License-Identifier: Apache-2.0
#include "indexed_graph.hpp"

namespace systole::graph {

void IndexedGraph::update() {
  uses_.assign(graph_.tensors.size(), {});
  for (std::size_t i = 0; i < graph_.operators.size(); ++i) {
    for (const TensorId id : graph_.operators[i].inputs) {
      if (id != kNoTensor) {
        uses_.at(static_cast<std::size_t>(id)).readers.push_back(i);
      }
    }
    for (const TensorId id : graph_.operators[i].outputs) {
      uses_.at(static_cast<std::size_t>(id)).maker = i;
    }
  }
  for (const TensorId id : graph_.outputs) {
    ++uses_.at(static_cast<std::size_t>(id)).outputs;
  }
}

const Operator* IndexedGraph::maker(TensorId id) const {
  const std::optional<std::size_t> place = place_of_maker(id);
  return place ? &graph_.operators[*place] : nullptr;
}

const IndexedGraph::Uses& IndexedGraph::uses_of(TensorId id) const {
  static const Uses kNone;
  return id >= 0 && static_cast<std::size_t>(id) < uses_.size() ? uses_[static_cast<std::size_t>(id)] : kNone;
}

}  // namespace systole::graph
