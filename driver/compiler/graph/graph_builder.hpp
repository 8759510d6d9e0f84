// SPDX-License-Identifier: Apache-2.0
// Appends operators to a graph, one call an operator. Shapes are inferred. Unless said otherwise, types are those of
// the first operand, and the arithmetic is ONNX's, whose rules for float32 device and host share. Throws GraphError for
// operands that do not fit each other.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "systole/graph.hpp"
#include "systole/graph_value.hpp"

namespace systole::graph {

/// Adds the tensor to the graph, and returns its id.
TensorId add_tensor(Graph& graph, Tensor tensor);

/// A constant with these elements, which are copied.
Tensor constant_tensor(std::string name, const Value& value, std::optional<Quantization> quantization = {});

class GraphBuilder {
 public:
  /// Appends to `graph`, which outlives the builder. Names of what is appended begin with `prefix` and a slash; two
  /// builders of a graph have different prefixes.
  GraphBuilder(Graph& graph, std::string prefix) : graph_(graph), prefix_(std::move(prefix)) {}
  /// Begins a graph of this name, for finish(). Names of what is appended have no prefix.
  explicit GraphBuilder(std::string name) : own_(std::make_unique<Graph>()), graph_(*own_) {
    graph_.name = std::move(name);
  }
  virtual ~GraphBuilder() = default;

  Graph& graph() { return graph_; }
  const Graph& graph() const { return graph_; }
  const Tensor& tensor(TensorId id) const { return graph_.tensor(id); }
  Shape shape(TensorId id) const { return graph_.tensor(id).shape; }  ///< a copy: appending moves tensors
  ElementType type(TensorId id) const { return graph_.tensor(id).type; }

  /// An input of the graph, by its full name.
  TensorId input(const std::string& name, ElementType type, const Shape& shape);
  TensorId constant(const Value& value);
  /// The same without a copy of the elements.
  TensorId constant(ElementType type, const Shape& shape, std::shared_ptr<const Bytes> elements);
  /// Real numbers in the type of `like`.
  TensorId numbers(TensorId like, const Shape& shape, const std::vector<double>& values);
  TensorId scalar(TensorId like, double value) { return numbers(like, {}, {value}); }
  TensorId zeros(TensorId like, const Shape& shape);

  /// Appends any operator. `results` has at most as many tensors as its kind has results. The builder fills in empty
  /// names, an empty origin, the outputs of `op`, and the shapes of `results` except where the kind leaves them open.
  virtual std::vector<TensorId> append_all(Operator op, std::vector<Tensor> results);
  /// Any operator with one result. `given` is the shape of kinds that leave it open.
  TensorId append(OperatorKind kind, std::vector<TensorId> inputs, ElementType type, const Shape& given = {});
  TensorId append(OperatorKind kind, std::vector<TensorId> inputs, const Shape& given = {}) {
    const ElementType same = type(inputs.at(0));
    return append(std::move(kind), std::move(inputs), same, given);
  }

  /// Tests have results of kBool.
  TensorId unary(UnaryKind kind, TensorId x, float alpha = 0, float beta = 0);
  /// Comparisons have results of kBool.
  TensorId binary(BinaryKind kind, TensorId a, TensorId b);
  TensorId add(TensorId a, TensorId b) { return binary(BinaryKind::kAdd, a, b); }
  TensorId subtract(TensorId a, TensorId b) { return binary(BinaryKind::kSubtract, a, b); }
  TensorId multiply(TensorId a, TensorId b) { return binary(BinaryKind::kMultiply, a, b); }
  TensorId divide(TensorId a, TensorId b) { return binary(BinaryKind::kDivide, a, b); }
  TensorId less(TensorId a, TensorId b) { return binary(BinaryKind::kLess, a, b); }
  /// sqrt(x) and a / b; those of float32 by near_root() and near_quotient() of sim/golden/functions/near.hpp.
  TensorId near_root(TensorId x) { return near(unary(UnaryKind::kSqrt, x)); }
  TensorId near_quotient(TensorId a, TensorId b) { return near(divide(a, b)); }
  TensorId scaled(TensorId x, double factor) { return multiply(x, scalar(x, factor)); }
  TensorId plus(TensorId x, double summand) { return add(x, scalar(x, summand)); }
  TensorId select(TensorId condition, TensorId a, TensorId b);
  /// x where the condition is true, else 0.
  TensorId masked(TensorId condition, TensorId x) { return select(condition, x, scalar(x, 0)); }

  TensorId reduce(ReduceKind kind, TensorId x, std::vector<int> axes, bool keep_dimensions = true);
  TensorId reshape(TensorId x, const Shape& shape);
  TensorId transpose(TensorId x, std::vector<int> permutation);
  TensorId slice(TensorId x, std::vector<std::int64_t> begin, std::vector<std::int64_t> step, const Shape& shape);
  /// Zeros around x; negative numbers remove elements.
  TensorId pad(TensorId x, std::vector<std::int64_t> before, std::vector<std::int64_t> after, double value = 0);
  TensorId concat(const std::vector<TensorId>& parts, int axis);
  /// Parts of these sizes along the axis.
  std::vector<TensorId> split(TensorId x, int axis, const std::vector<std::int64_t>& sizes);
  TensorId product(TensorId a, TensorId b, bool transpose_a = false, bool transpose_b = false);

  /// x repeated to a shape that it broadcasts to.
  TensorId broadcast(TensorId x, const Shape& shape);
  /// The opposite: what `shape`, which broadcasts to x's, has of each element is summed.
  TensorId sum_to(TensorId x, const Shape& shape);

  /// The graph with these outputs. The builder is empty afterwards. Throws GraphError if the graph is not valid.
  Graph finish(std::vector<TensorId> outputs);

 protected:
  /// Names of what is appended next: a constant, an operator, and its result of this number.
  virtual std::string constant_name() { return next_name("constant"); }
  virtual std::string operator_name(const std::string& origin) { return next_name(origin); }
  virtual std::string result_name(const Operator& op, std::size_t number);

 private:
  /// Gives the operator that was appended last the arithmetic of operators beside blocks, if it is of float32.
  TensorId near(TensorId result);

  std::string next_name(std::string_view what);

  std::unique_ptr<Graph> own_;
  Graph& graph_;
  std::string prefix_;
  int count_ = 0;
};

/// All axes of a tensor of this rank.
std::vector<int> all_axes(std::size_t rank);

}  // namespace systole::graph
