// SPDX-License-Identifier: Apache-2.0
// Bounds of the integers that a graph computes, whatever its inputs are.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "indexed_graph.hpp"

namespace systole::graph {

struct IntegerRange {
  std::int64_t least, most;
  bool within(const IntegerRange& other) const { return other.least <= least && most <= other.most; }
};

class IntegerRanges {
 public:
  /// `graph` outlives this.
  explicit IntegerRanges(const IndexedGraph& graph) : graph_(graph) {}

  /// Bounds of the elements of a tensor of integers or bool: those of its type where nothing better is known.
  IntegerRange of(TensorId id);

 private:
  IntegerRange computed(const Operator& op, TensorId id);

  const IndexedGraph& graph_;
  std::unordered_map<TensorId, IntegerRange> known_;
};

}  // namespace systole::graph
