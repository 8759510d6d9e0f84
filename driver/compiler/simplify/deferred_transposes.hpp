// SPDX-License-Identifier: Apache-2.0
// A graph that is written anew, operator by operator, while transpositions are not made but remembered: a tensor "is"
// another one with its axes in another order.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "permutation.hpp"

namespace systole::graph {

/// A tensor that stands for another, its base.
struct Transposed {
  TensorId base = kNoTensor;
  Permutation permutation;
};

class DeferredTransposes {
 public:
  /// Takes the operators out of the graph, which is filled again by append() and keep().
  explicit DeferredTransposes(Graph& graph);

  std::vector<Operator>& operators() { return old_; }  ///< as they were
  Graph& graph() { return graph_; }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  const Shape& shape(TensorId id) const { return graph_.tensor(id).shape; }
  bool constant(TensorId id) const { return graph_.tensor(id).constant != nullptr; }

  /// What stands for a tensor whose operator did nothing.
  TensorId resolved(TensorId id) const;
  /// Null for a tensor that is there itself. Valid until the next is remembered.
  const Transposed* remembered(TensorId id) const;
  void remember(TensorId id, TensorId base, const Permutation& permutation);
  void remember_same(TensorId id, TensorId as);

  void append(Operator op);
  const Operator* maker(TensorId id) const;
  std::string unique(const std::string& wanted);
  /// A tensor without elements like this one, of another shape.
  TensorId like(TensorId id, const Shape& shape, const char* suffix);
  /// A constant computed by an operator of one operand.
  TensorId computed(OperatorKind kind, TensorId from, const Shape& to, int channel_axis);

  /// The tensor itself, by a transposition if it is only remembered.
  TensorId made(TensorId id);
  /// Appends `op` on the tensors themselves.
  void keep(Operator op);
  /// `op` with these operands instead; its results are remembered by the permutation.
  void replace(Operator op, std::vector<TensorId> inputs, const Permutation& permutation);
  /// The permutation that some operand is remembered by, and all operands without it. False where an operand does not
  /// go along.
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
