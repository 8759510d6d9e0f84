// SPDX-License-Identifier: Apache-2.0
// What groups of operators compute, as polynomials of the tensor that they read, and their replacement by one operator.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "indexed_graph.hpp"
#include "polynomial.hpp"

namespace systole::quantizer {

/// A graph in which groups of operators are replaced by one.
class Editor {
 public:
  explicit Editor(graph::Graph& graph) : graph_(graph), indexed_(graph) {}

  const graph::Graph& graph() const { return graph_; }
  /// The same without the inputs of operators that were replaced.
  const graph::IndexedGraph& indexed() const { return indexed_; }
  /// Whether the operator was replaced.
  bool gone(std::size_t op) const { return gone_.count(op) != 0; }

  /// Replaces the group, of which only the result of `last` is used outside, by one operator.
  void replace(const std::set<std::size_t>& group, std::size_t last, graph::OperatorKind kind,
               std::vector<graph::TensorId> inputs);
  graph::TensorId constant(const std::string& name, const std::vector<float>& values);
  /// Removes the operators that were replaced.
  void finish();

 private:
  graph::Graph& graph_;
  graph::IndexedGraph indexed_;
  std::set<std::size_t> gone_;
};

/// Follows a tensor x through the operators that read it and constants, as polynomials of x and symbols of a pattern.
class Tracer {
 public:
  Tracer(const Editor& editor, graph::TensorId x);
  virtual ~Tracer() = default;
  Tracer(const Tracer&) = delete;
  Tracer& operator=(const Tracer&) = delete;

  static constexpr std::size_t kX = 0;  ///< the symbol of x

  /// Traces, then looks for the last result that is the pattern's while nothing outside reads an inner one. Returns its
  /// operator; group() are the operators that compute it.
  std::optional<std::size_t> run();
  const std::set<std::size_t>& group() const { return group_; }

 protected:
  virtual bool matches(const Polynomial& result) = 0;
  /// The result of an operator other than sums and products, if it is known.
  virtual std::optional<Polynomial> function(const graph::Operator& op, const Polynomial& operand) = 0;

  const graph::Graph& graph() const { return graph_; }
  std::int64_t channels() const { return channels_; }  ///< the last dimension of x

 private:
  void learn(graph::TensorId id, Polynomial value);
  std::optional<Polynomial> value_of(graph::TensorId id) const;
  std::optional<Polynomial> traced(const graph::Operator& op);
  bool has_legal_shape(const graph::Tensor& tensor) const;
  std::optional<Polynomial> arithmetic(const graph::Operator& op, graph::BinaryKind kind, const Polynomial& a,
                                       const Polynomial& b);
  std::optional<Polynomial> power(const graph::Operator& op, const Polynomial& base, std::optional<double> exponent);
  bool collect(std::size_t last);

  const Editor& editor_;
  const graph::Graph& graph_;
  graph::TensorId x_;
  std::int64_t channels_ = 1;
  std::unordered_map<graph::TensorId, Polynomial> known_;
  std::set<std::size_t> next_;  ///< operators that read what is known
  std::vector<std::size_t> traced_;
  std::set<std::size_t> group_;
};

}  // namespace systole::quantizer
