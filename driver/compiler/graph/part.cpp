// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <fmt/core.h>

#include <optional>

#include "graph_builder.hpp"
#include "indexed_graph.hpp"

namespace systole::graph {
namespace {

/// Copies a range of operators and the tensors they need into a graph, tensors in the order of first use.
class Cut {
 public:
  explicit Cut(const Graph& whole) : whole_(whole), ids_(whole.tensors.size(), kNoTensor) {}

  Part take(std::size_t begin, std::size_t end) {
    part_.graph.name = fmt::format("{}, operators {} to {}", whole_.name, begin, end - 1);
    for (std::size_t i = begin; i < end; ++i) {
      add(whole_.operators[i]);
    }
    const IndexedGraph indexed(whole_);
    for (TensorId id = 0; id < static_cast<TensorId>(ids_.size()); ++id) {
      const std::vector<std::size_t>& readers = indexed.readers(id);
      const bool wanted = indexed.is_output(id) || (!readers.empty() && readers.back() >= end);
      const std::optional<std::size_t> maker = indexed.place_of_maker(id);
      if (wanted && maker && *maker >= begin && *maker < end) {
        part_.outputs.push_back(id);
        part_.graph.outputs.push_back(numbered(id));
      }
    }
    if (part_.outputs.empty()) {
      throw GraphError(
          fmt::format("operators {} to {} of {}: their results are not used", begin, end - 1, whole_.operators.size()));
    }
    return std::move(part_);
  }

 private:
  void add(Operator op) {
    for (TensorId& id : op.inputs) {
      if (id != kNoTensor) {
        id = take_in(id);
      }
    }
    for (TensorId& id : op.outputs) {
      id = numbered(id);
    }
    part_.graph.operators.push_back(std::move(op));
  }

  TensorId take_in(TensorId id) {
    const auto index = static_cast<std::size_t>(id);
    const bool known = ids_[index] != kNoTensor;
    const TensorId inside = numbered(id);
    if (!known && !whole_.tensors[index].constant) {
      part_.inputs.push_back(id);
      part_.graph.inputs.push_back(inside);
    }
    return inside;
  }

  /// The tensor's id in the part; adds the tensor if necessary.
  TensorId numbered(TensorId id) {
    TensorId& inside = ids_[static_cast<std::size_t>(id)];
    if (inside == kNoTensor) {
      inside = add_tensor(part_.graph, whole_.tensor(id));
    }
    return inside;
  }

  const Graph& whole_;
  std::vector<TensorId> ids_;  ///< id in the part, by id in the whole graph
  Part part_;
};

}  // namespace

Part part_of(const Graph& whole, std::size_t begin, std::size_t end) {
  if (begin >= end || end > whole.operators.size()) {
    throw GraphError(
        fmt::format("operators {} .. {} (exclusive): a part needs at least one operator, and the graph has {}", begin,
                    end, whole.operators.size()));
  }
  return Cut(whole).take(begin, end);
}

}  // namespace systole::graph
