// SPDX-License-Identifier: Apache-2.0
// Operators that only move elements, between a conversion and the operator that it belongs to: moves and conversions
// may change places, because each element is converted by itself. Translation::emit_all() puts moves before a
// dequantization; QuantizedMoves puts those before a quantization behind it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "systole/graph.hpp"

namespace systole::graph::onnx_file {

/// Whether the operator moves elements of its inputs - of a gather only the first - and computes nothing.
bool only_moves(const Graph& graph, const Operator& op);

/// Moves of real results of operators, which become moves of the quantized results.
class QuantizedMoves {
 public:
  explicit QuantizedMoves(Graph& graph) : graph_(graph) {}

  /// The operator at a place of the graph becomes `computed`, and behind it the moves, last first, on its result, which
  /// lead to that of the operator.
  void replace(std::size_t place, Operator computed, const std::vector<const Operator*>& moves);

  /// Puts the new operators to their places in the graph. The places of others change.
  void insert();

  /// A name that no operator and no tensor has.
  std::string unique(const std::string& name);

 private:
  void add(Operator op, std::size_t place) { added_[place].push_back(std::move(op)); }

  Graph& graph_;
  std::map<std::size_t, std::vector<Operator>> added_;
  std::set<std::string> names_;
};

/// The quantization of the result of a move of a quantized tensor: the same, of another axis where there are several
/// scales. Nothing if results have no such quantization, as padding between two steps.
std::optional<Quantization> moved_quantization(const Operator& op, const Tensor& from, const Shape& to);

}  // namespace systole::graph::onnx_file
