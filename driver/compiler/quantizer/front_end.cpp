// SPDX-License-Identifier: Apache-2.0
#include "front_end.hpp"

#include <algorithm>

namespace systole::quantizer {
namespace {

using graph::Graph;
using graph::Operator;
using graph::TensorId;

std::size_t at(TensorId id) { return static_cast<std::size_t>(id); }

bool is_logarithm(const Graph& graph, const Operator& op) {
  const auto* unary = std::get_if<graph::Unary>(&op.kind);
  return unary != nullptr && unary->kind == graph::UnaryKind::kLog &&
         graph.tensor(op.outputs[0]).type == graph::ElementType::kFloat32;
}

/// The operators with a marked tensor among those in `from`, which marks those in `to`.
template <class Operators>
std::vector<const Operator*> reached(Operators first, Operators last, std::vector<bool> marked,
                                     const std::vector<TensorId> Operator::*from,
                                     const std::vector<TensorId> Operator::*to) {
  std::vector<const Operator*> result;
  for (; first != last; ++first) {
    const auto is_marked = [&](TensorId id) { return id != graph::kNoTensor && marked[at(id)]; };
    if (std::any_of(((*first).*from).begin(), ((*first).*from).end(), is_marked)) {
      result.push_back(&*first);
      for (const TensorId id : (*first).*to) {
        if (id != graph::kNoTensor) {
          marked[at(id)] = true;
        }
      }
    }
  }
  return result;
}

std::uint64_t macs_of(const Graph& graph, const std::vector<const Operator*>& operators) {
  std::uint64_t sum = 0;
  for (const Operator* op : operators) {
    sum += useful_macs(graph, *op);
  }
  return sum;
}

}  // namespace

Obstacles front_end(const Graph& graph) {
  Obstacles result;
  for (const Operator& op : graph.operators) {
    if (!is_logarithm(graph, op)) {
      continue;
    }
    std::vector<bool> marked(graph.tensors.size());
    marked[at(op.outputs[0])] = true;
    const auto before =
        reached(graph.operators.rbegin(), graph.operators.rend(), marked, &Operator::outputs, &Operator::inputs);
    const auto after =
        reached(graph.operators.begin(), graph.operators.end(), marked, &Operator::inputs, &Operator::outputs);
    if (macs_of(graph, before) >= macs_of(graph, after)) {
      continue;
    }
    for (const Operator* early : before) {
      result.emplace(static_cast<std::size_t>(early - graph.operators.data()),
                     "computes features for " + op.name + ", which needs their relative precision");
    }
  }
  return result;
}

}  // namespace systole::quantizer
