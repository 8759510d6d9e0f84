// SPDX-License-Identifier: Apache-2.0
// Rebuilds a graph operator by operator while transpositions are deferred: instead of emitting one, a tensor is
// recorded as a permutation of another.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "permutation.hpp"

namespace systole::graph {

/// A tensor recorded as a permutation of another, its base.
struct Transposed {
  TensorId base = kNoTensor;
  Permutation permutation;
};

class DeferredTransposes {
 public:
  /// Takes the operators out of the graph; append() and keep() refill it.
  explicit DeferredTransposes(Graph& graph);

  std::vector<Operator>& operators() { return old_; }  ///< the original operators
  Graph& graph() { return graph_; }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }
  bool constant(TensorId id) const { return graph_.tensor(id).constant != nullptr; }

  /// The replacement for a tensor whose operator did nothing.
  TensorId resolved(TensorId id) const;
  /// The recorded permutation, or null for a tensor that exists itself. Valid until the next one is recorded.
  const Transposed* remembered(TensorId id) const;
  void remember(TensorId id, TensorId base, const Permutation& permutation);
  void remember_same(TensorId id, TensorId as);

  void append(Operator op);
  const Operator* maker(TensorId id) const;
  std::string unique(const std::string& wanted);
  /// A tensor without contents like this one, of another shape.
  TensorId like(TensorId id, const Shape& shape, const char* suffix);
  /// A constant computed by a unary operator.
  TensorId computed(OperatorKind kind, TensorId from, const Shape& to, int channel_axis);

  /// The tensor itself; emits its transposition if deferred.
  TensorId made(TensorId id);
  /// Appends `op` unchanged.
  void keep(Operator op);
  /// Appends `op` with these operands instead; its results are recorded as permuted.
  void replace(Operator op, std::vector<TensorId> inputs, const Permutation& permutation);
  /// The permutation of a deferred operand, and all operands without it. Returns false if an operand cannot be
  /// permuted.
  bool without(const std::vector<TensorId>& ids, Permutation& permutation, std::vector<TensorId>& bases);

 private:
  std::optional<TensorId> as_transposed(TensorId id, const Permutation& permutation);

  Graph& graph_;
  std::vector<Operator> old_;
  std::unordered_map<TensorId, Transposed> transposed_;
  std::unordered_map<TensorId, TensorId> same_;
  std::unordered_map<TensorId, std::size_t> makers_;
  std::set<TensorId> made_;
  std::set<std::string> names_;
};

}  // namespace systole::graph
