// SPDX-License-Identifier: Apache-2.0
#include "part.hpp"

#include <fmt/core.h>

namespace systole::graph {
namespace {

constexpr TensorId kAbsent = -1;

/// Copies a range of operators and the tensors they need into a graph, tensors in the order of first use.
class Cut {
 public:
  explicit Cut(const Graph& whole) : whole_(whole), ids_(whole.tensors.size(), kAbsent), made_(whole.tensors.size()) {}

  Part take(std::size_t begin, std::size_t end) {
    part_.graph.name = fmt::format("{}, operators {} to {}", whole_.name, begin, end - 1);
    for (std::size_t i = begin; i < end; ++i) {
      add(whole_.operators[i]);
    }
    std::vector<bool> wanted(whole_.tensors.size());
    for (std::size_t i = end; i < whole_.operators.size(); ++i) {
      for (const TensorId id : whole_.operators[i].inputs) {
        if (id != kNoTensor) {
          wanted[static_cast<std::size_t>(id)] = true;
        }
      }
    }
    for (const TensorId id : whole_.outputs) {
      wanted[static_cast<std::size_t>(id)] = true;
    }
    for (std::size_t id = 0; id < wanted.size(); ++id) {
      if (wanted[id] && made_[id]) {
        part_.outputs.push_back(static_cast<TensorId>(id));
        part_.graph.outputs.push_back(ids_[id]);
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
      made_[static_cast<std::size_t>(id)] = true;
      id = numbered(id);
    }
    part_.graph.operators.push_back(std::move(op));
  }

  TensorId take_in(TensorId id) {
    const auto index = static_cast<std::size_t>(id);
    const bool known = ids_[index] != kAbsent;
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
    if (inside == kAbsent) {
      inside = static_cast<TensorId>(part_.graph.tensors.size());
      part_.graph.tensors.push_back(whole_.tensor(id));
    }
    return inside;
  }

  const Graph& whole_;
  std::vector<TensorId> ids_;  ///< id in the part, by id in the whole graph
  std::vector<bool> made_;     ///< computed by an operator of the part
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
